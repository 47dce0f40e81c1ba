#!/usr/bin/env bash
# test_all.sh: what is too long for `make test`. Every stage runs, also after one that failed; each
# leaves its results in build/results.
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/terminal.sh

status=0
# stage NAME PRESET "TARGET..." CTEST-OPTION...
stage() {
    local name=$1 preset=$2 targets=$3 started=$SECONDS
    shift 3
    mkdir -p build/results
    rm -f "build/results/$name.xml"
    # shellcheck disable=SC2086 # several targets are several words
    if scripts/build.sh "$preset" $targets; then
        scripts/test.sh "$name" "$preset" "$@" || status=1
    else
        status=1
        printf '<testsuite><testcase name="%s/build" status="fail"><failure/></testcase></testsuite>\n' \
            "$name" > "build/results/$name.xml"
    fi
    note "The stage $name took $(elapsed $((SECONDS - started)))."
}

export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=second_deadlock_stack=1
stage build default tests -L build  # again, because now clang is there
stage asan asan tests -L unit
stage tsan tsan tests -L unit
stage long default long_tests -L long
exit "$status"
