#!/usr/bin/env bash
# test.sh NAME PRESET CTEST-OPTION...: runs the tests of a preset's folder, leaves their results in
# build/results/NAME.xml and prints one line a test, then the count.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/terminal.sh

name=$1 preset=$2
shift 2
folder=build
[ "$preset" = default ] || folder=build-$preset
results=$PWD/build/results/$name.xml
mkdir -p build/results
rm -f "$results" "$folder"/brokers/*.said

# ctest's own noise goes; a test's line and what a failed test printed stay.
noise='^(Internal ctest|Test project |    Start +[0-9]+: |Label Time Summary|Total Test time|[0-9]+% tests passed|Errors while running CTest|[a-z]+ += +[0-9.]+ sec\*proc)'
status=0
ctest --test-dir "$folder" --output-on-failure --no-tests=error -j "${JOBS:-$(nproc)}" \
    --output-junit "$results" --test-output-truncation head --test-output-size-passed 100000 \
    --test-output-size-failed 1000000 "$@" 2>&1 |
    { grep --line-buffered -Ev "$noise" || true; } | cat -s || status=$?
# Which servers there were.
cat "$folder"/brokers/*.said 2> /dev/null || true
scripts/count.py --say "$name" "$results"
exit "$status"
