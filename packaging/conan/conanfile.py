"""Conan 2: `conan create packaging/conan`, from a clone of Waybill."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

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
        self.requires("rabbitmq-c/[>=0.11 <1]", options={"ssl": True})
        self.requires("openssl/[>=3 <4]")
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

    def package_info(self):
        # The package brings its own CMake files, one for each component; they find what is below.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "waybill")]
        self.cpp_info.libs = ["waybill_rabbitmq_testing", "waybill_testing", "waybill_rabbitmq", "waybill_memory",
                              "waybill_core"]
        self.cpp_info.system_libs = ["pthread"]
