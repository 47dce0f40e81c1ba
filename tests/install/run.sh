#!/usr/bin/env bash
# run.sh static|shared: installs Waybill into a new folder, builds a service against it by
# find_package and by pkg-config, and runs what came out.
set -euo pipefail
cd "$(dirname "$0")/../.."

kind=$1 preset=default folder=build
if [ "$kind" = shared ]; then preset=shared folder=build-shared; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

scripts/build.sh "$preset" all
cmake --install "$folder" --prefix "$work/installed" > "$work/install.log"
rm -rf "$work/build"

hello=
[ ! -f examples/hello/main.cpp ] || hello=$PWD/examples/hello/main.cpp
cmake -S tests/install -B "$work/build" -G Ninja -DCMAKE_CXX_COMPILER=g++-12 -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$work/installed" -DHELLO="$hello" > "$work/configure.log" ||
    { cat "$work/configure.log"; exit 1; }
ninja -C "$work/build" -j "${JOBS:-2}"
"$work/build/consumer"
[ -z "$hello" ] || "$work/build/hello" check

PKG_CONFIG_PATH=$(dirname "$(find "$work/installed" -name waybill.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # flags are several words
by_pkg_config() { g++-12 -std=c++23 "$1" -o "$work/by_pkg_config" $(pkg-config --cflags --libs waybill); }
LD_LIBRARY_PATH=$(pkg-config --variable=libdir waybill)
export LD_LIBRARY_PATH
by_pkg_config tests/install/main.cpp
"$work/by_pkg_config"
# Without optimisation, as CMake and a compiler build by default.
if [ -n "$hello" ]; then
    by_pkg_config "$hello"
    "$work/by_pkg_config" check
fi
! grep -rn "$PWD" "$work/installed" --include='*.cmake' --include='*.pc' ||
    { echo "The installed files name the source folder (above)."; exit 1; }
echo "A service builds and runs against the installed Waybill ($kind)."
