#!/usr/bin/env bash
# check.sh [--all]: the format of every tracked source, the layers, and clang-tidy on what changed
# since the branch left the main one (or on everything).
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/terminal.sh

status=0
mapfile -t sources < <(git ls-files -- '*.cpp' '*.hpp' '*.h')
if [ ${#sources[@]} -eq 0 ]; then fail "No source is tracked here, so there is nothing to check."; fi
if clang-format-19 --dry-run -Werror "${sources[@]}"; then
    say "The format of ${#sources[@]} files is right."
else
    say "${red}The format is not the house's: \`make format\` puts it right.$plain"
    status=1
fi
scripts/check_layers.py || status=1
scripts/tidy.py "$@" || status=1
exit "$status"
