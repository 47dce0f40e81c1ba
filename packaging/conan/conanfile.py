"""Conan 2: `conan create packaging/conan`, from a clone of Waybill."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class Waybill(ConanFile):
    name = "waybill"
    description = "Message services: retries, delays, caps and dead letters over brokers"
    license = "Apache-2.0"
    topics = ("messaging", "retry", "dead-letter")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        said = load(self, os.path.join(self._tree, "CMakeLists.txt"))
        self.version = re.search(r"project\(waybill VERSION ([\d.]+)", said)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, src=self._tree, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # No public header names any of these.
        self.requires("fmt/[>=9.1 <12]")
        self.requires("spdlog/[>=1.10 <2]")
        self.requires("simdjson/[>=3.0 <4]")
        self.requires("libcbor/[>=0.8 <1]")
        self.requires("rapidjson/[>=1.1]")
        self.requires("cli11/[>=2.3 <3]")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Waybill is built and tried on Linux only.")
        check_min_cppstd(self, 23)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("EXAMPLES", "TESTS", "BENCH", "WERROR"):
            toolchain.cache_variables[f"WAYBILL_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        # Conan makes its own from package_info.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.set_property("pkg_config_name", "waybill")
        below = {"core": [], "memory": ["core"], "testing": ["core", "memory"]}
        for name, needs in below.items():
            component = self.cpp_info.components[name]
            component.libs = [f"waybill_{name}"]
            component.requires = [*needs, "fmt::fmt"]
            component.set_property("cmake_target_name", f"waybill::{name}")
            component.set_property("pkg_config_name", f"waybill-{name}")
        core = self.cpp_info.components["core"]
        core.requires += ["spdlog::spdlog", "simdjson::simdjson", "libcbor::libcbor",
                          "rapidjson::rapidjson", "cli11::cli11"]
        core.system_libs = ["pthread"]
