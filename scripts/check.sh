#!/usr/bin/env bash
# check.sh [--all]: the format of every source, the layers, and clang-tidy on what changed
# since the branch left the main one (or on everything).
set -uo pipefail
cd "$(dirname "$0")/.."
. scripts/terminal.sh

status=0
mapfile -t sources < <(git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp' '*.h')
for index in "${!sources[@]}"; do [ -f "${sources[index]}" ] || unset "sources[index]"; done
if [ ${#sources[@]} -eq 0 ]; then fail "git knows of no source here, so there is nothing to check."; fi
wrong=$(clang-format-19 --dry-run -Werror "${sources[@]}" 2>&1 |
    sed -nE 's/^([^: ]+):[0-9]+:[0-9]+: error: .*/\1/p' | sort -u)
if [ -z "$wrong" ]; then
    say "The format of ${#sources[@]} files is right."
else
    say "$wrong"
    say "${red}The format of these is not the house's: \`make format\` puts it right.$plain"
    status=1
fi
scripts/check_layers.py || status=1
scripts/tidy.py "$@" || status=1
exit "$status"
