#!/usr/bin/env bash
# build.sh PRESET TARGET...: configures the preset's folder and builds the targets in it, showing
# one line of progress. JOBS is the number of compilers at once.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/terminal.sh

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
live=no
if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then live=yes; fi
[ -z "$bold" ] || export CLICOLOR_FORCE=1

# progress: shows ninja's status as one line that is redrawn (or, in a log, a line now and then),
# and whatever else ninja prints as it is.
progress() {
    local begun='' shown=$SECONDS line
    while IFS= read -r line; do
        case $line in
        *"Re-checking globbed"* | *"Re-running CMake"* | "ninja: no work to do."* | "ninja: Entering"*) ;;
        "["[0-9]*/[0-9]*"] "*)
            if [ -z "$begun" ]; then
                begun=yes
                [ $live = yes ] || say "Building $* in $folder."
            fi
            if [ $live = yes ]; then
                line=${line/ Building CXX object / }
                printf '\r\e[K%s%.*s%s' "$dim" "$((${COLUMNS:-$(tput cols 2> /dev/null || echo 80)} - 1))" \
                    "$line" "$plain" >&2
            elif [ $((SECONDS - shown)) -ge 20 ]; then
                shown=$SECONDS
                say "  ${line%%]*}] after $(elapsed $((SECONDS - started)))"
            fi
            ;;
        *)
            [ $live = no ] || printf '\r\e[K' >&2
            printf '%s\n' "$line" >&2
            ;;
        esac
    done
    [ -n "$begun" ] || return 0
    [ $live = no ] || printf '\r\e[K' >&2
    touch "$folder/.built"
}

rm -f "$folder/.built"
NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -j "$jobs" "$@" 2>&1 | progress "$@" ||
    fail "The build failed: what ninja and the compiler said is above."
[ ! -f "$folder/.built" ] || note "Built $* in $(elapsed $((SECONDS - started)))."
