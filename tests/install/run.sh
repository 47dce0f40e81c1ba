#!/usr/bin/env bash
# run.sh static|shared: installs Waybill into a new folder, builds a service against it by
# find_package and by pkg-config, runs what came out and looks at what is in it.
set -euo pipefail
cd "$(dirname "$0")/../.."

kind=$1 preset=default folder=build
if [ "$kind" = shared ]; then preset=shared folder=build-shared; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() {
    echo "$*"
    exit 1
}

scripts/build.sh "$preset" waybill_core waybill_memory waybill_rabbitmq waybill_testing waybill_rabbitmq_testing
cmake --install "$folder" --prefix "$work/installed" > "$work/install.log"
# As two packages would: the test kit apart.
for component in waybill-core waybill-memory waybill-rabbitmq; do
    cmake --install "$folder" --prefix "$work/without_kit" --component $component > "$work/install.log"
done
found=$(find "$work/without_kit" -name '*testing*')
[ -z "$found" ] || wrong "The test kit is installed with the other components: $found"

# by_cmake BUILD PREFIX OPTION...
by_cmake() {
    local build=$1 prefix=$2
    shift 2
    cmake -S tests/install -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=g++-12 -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$prefix" "$@" > "$build.log" 2>&1
}
by_cmake "$work/build" "$work/installed" || wrong "$(cat "$work/build.log")"
ninja -C "$work/build" -j "${JOBS:-2}"
"$work/build/parcels"
"$work/build/parcels_test"
"$work/build/letters" > "$work/letters.log" 2>&1 || wrong "$(cat "$work/letters.log")"
"$work/build/letters_test"
by_cmake "$work/no_kit" "$work/without_kit" || wrong "$(cat "$work/no_kit.log")"
for name in testing pigeons; do
    ! by_cmake "$work/no_$name" "$work/without_kit" -DWRONG=$name || wrong "The component $name was found."
    grep -q "waybill has no component \"$name\" here" < <(tr -s ' \n' ' ' < "$work/no_$name.log") ||
        wrong "find_package does not say what is wrong with the component $name:" "$(cat "$work/no_$name.log")"
done

PKG_CONFIG_PATH=$(dirname "$(find "$work/installed" -name waybill.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(pkg-config --variable=libdir waybill)
export LD_LIBRARY_PATH
# Without optimisation, as a compiler builds by default.
# shellcheck disable=SC2046 # flags are several words
by_pkg_config() { g++-12 -std=c++23 "tests/install/$1.cpp" -o "$work/$1" $(pkg-config --cflags --libs $2); }
by_pkg_config main waybill
"$work/main"
by_pkg_config test waybill-testing
"$work/test"
by_pkg_config rabbitmq waybill-rabbitmq
by_pkg_config rabbitmq_test "waybill-rabbitmq_testing waybill-testing"
"$work/rabbitmq_test"
! pkg-config --print-requires waybill | grep testing || wrong "pkg-config waybill brings the test kit."

# loads PROGRAM: the libraries that it asks for.
loads() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(lib[a-z_+]*\)[-.0-9].*/\1/p' | sort | xargs; }
# holds PROGRAM SYMBOL
holds() { [ "$(nm -C "$1" | grep -c " [TtWVDdB] $2")" != 0 ]; }
if [ "$kind" = shared ]; then
    wanted="libc libgcc_s libstdc++ libwaybill_core libwaybill_memory"
    of_rabbitmq="libc libgcc_s libstdc++ libwaybill_core libwaybill_rabbitmq"
    for library in "$LD_LIBRARY_PATH"/libwaybill_*.so; do scripts/check_exports.py "$library"; done
else
    # libcbor is not among them: nothing in the service names that codec.
    wanted="libc libfmt libgcc_s libsimdjson libspdlog libstdc++"
    of_rabbitmq="libc libcrypto libfmt libgcc_s librabbitmq libsimdjson libspdlog libssl libstdc++"
    holds "$work/build/parcels_test" "waybill::test_app::" || wrong "The test does not hold the test kit."
    ! holds "$work/build/parcels" "waybill::test_app::" || wrong "The service holds the test kit."
    ! holds "$work/build/parcels" "waybill::manual_clock::" ||
        wrong "--gc-sections leaves in the service what it does not use."
fi
for program in build/parcels main; do
    got=$(loads "$work/$program" | sed 's/ \?libm\b//')
    [ "$got" = "$wanted" ] || wrong "$program loads \"$got\", and needs \"$wanted\"."
done
for program in build/letters rabbitmq; do
    got=$(loads "$work/$program" | sed 's/ \?libm\b//')
    [ "$got" = "$of_rabbitmq" ] || wrong "$program loads \"$got\", and needs \"$of_rabbitmq\"."
done

! grep -rn "$PWD" "$work/installed" --include='*.cmake' --include='*.pc' ||
    wrong "The installed files name the source folder (above)."
echo "A service builds and runs against the installed Waybill ($kind)."
