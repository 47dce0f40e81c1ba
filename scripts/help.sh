#!/usr/bin/env bash
# help.sh MAKEFILE: the table of its targets, from the `##` comments beside them.
set -euo pipefail
bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' plain=$'\e[0m'; fi
echo "Waybill: message services in C++. On a fresh Debian 12 machine each of these sets itself up."
echo
sed -nE 's/^([a-z-]+):.*## (.*)$/\1\t\2/p' "$1" |
    while IFS=$'\t' read -r target text; do printf '  %smake %-12s%s %s\n' "$bold" "$target" "$plain" "$text"; done
