#!/usr/bin/env bash
# build.sh PRESET TARGET...: configures the preset's folder and builds the targets in it, showing
# one line of progress. JOBS is the number of compilers at once.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/terminal.sh
. scripts/progress.sh

preset=$1
shift
folder=build
[ "$preset" = default ] || folder=build-$preset
jobs=${JOBS:-$(nproc)}

# What is there since the last time (a library, a tool) counts, so CMake looks anew each time.
mkdir -p "$folder"
if ! cmake --preset "$preset" > "$folder/configure.log" 2>&1; then
    cat "$folder/configure.log" >&2
    fail "CMake could not configure $folder (see above)."
fi
[ "$preset" != default ] || ln -sf build/compile_commands.json compile_commands.json
[ $# -gt 0 ] || exit 0

started=$SECONDS
[ -z "$bold" ] || export CLICOLOR_FORCE=1

rm -f "$folder/.built"
NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -j "$jobs" "$@" 2>&1 | progress "$* in $folder" "$folder/.built" ||
    fail "The build failed: what ninja and the compiler said is above."
[ ! -f "$folder/.built" ] || note "Built $* in $(elapsed $((SECONDS - started)))."
