#!/usr/bin/env bash
# fresh.sh [--keep]: what a stranger sees. Makes a new Debian 12 with git and make and nothing else,
# clones this tree's last commit into it, runs `make demo` and `make test`, then `make demo` again
# without a network, and prints how long each took. Takes root; leaves nothing behind (--keep: leaves
# the folder, and says where).
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/terminal.sh
. scripts/new_system.sh

keep=no
[ "${1:-}" != --keep ] || keep=yes
[ "$(id -u)" = 0 ] || exec sudo -- "$0" "$@"
scripts/setup.sh fresh

new_system git,make,ca-certificates
[ -z "$(git status --porcelain)" ] || say "Note: what is not committed is not tried."

times=()
status=0
# timed LABEL COMMAND...: goes on after a failure, so that all of it is seen.
timed() {
    local label=$1 began=$SECONDS outcome=passed
    shift
    say ""
    say "$bold$label$plain"
    "$@" < /dev/null || { outcome=FAILED; status=1; }
    times+=("$(printf '%-34s %-7s %s' "$label" "$outcome" "$(elapsed $((SECONDS - began)))")")
}

clone_and_demo() {
    git clone --quiet "file://$PWD" "$root/srv/waybill" && inside /srv/waybill -- make demo
}
timed "git clone, make demo" clone_and_demo
timed "make test" inside /srv/waybill -- make test
timed "make demo, without a network" inside /srv/waybill --net -- make demo

say ""
for line in "${times[@]}"; do say "$line"; done
exit "$status"
