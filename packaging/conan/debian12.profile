# Debian 12 with the packages of scripts/setup.sh build: `conan create packaging/conan -pr:a packaging/conan/debian12.profile`
[settings]
os=Linux
arch=x86_64
compiler=gcc
compiler.version=12
compiler.libcxx=libstdc++11
compiler.cppstd=23
build_type=Release
[conf]
tools.build:compiler_executables={"c":"gcc-12","cpp":"g++-12"}
[platform_requires]
fmt/9.1.0
spdlog/1.10.0
simdjson/3.0.1
libcbor/0.8.0
rapidjson/1.1.0
cli11/2.3.0
