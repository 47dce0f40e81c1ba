#!/usr/bin/env bash
# fresh.sh [--keep]: what a stranger sees. Makes a new Debian 12 with git and make and nothing else,
# clones this tree's last commit into it, runs `make demo` and `make test`, then `make demo` again
# without a network, and prints how long each took. Takes root; leaves nothing behind (--keep: leaves
# the folder, and says where).
#
# The packages come from wherever this machine's own apt takes them, by the same proxy.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/terminal.sh

keep=no
[ "${1:-}" != --keep ] || keep=yes
[ "$(id -u)" = 0 ] || exec sudo -- "$0" "$@"
scripts/setup.sh fresh

mapfile -t sources < <(
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk '$3 ~ /^bookworm(-updates|-security)?$/ && $4 == "main"' | sort -u)
[ ${#sources[@]} -gt 0 ] ||
    fail "apt does not know of Debian 12 (bookworm) here, so there is nothing to make a new one from." \
         "Run apt-get update on a Debian 12 machine, then start again."

base=$(mktemp -d "${TMPDIR:-/var/tmp}/waybill-fresh.XXXXXX")
root=$base/root
cleanup() {
    if [ "$keep" = yes ]; then
        say "The new system is left in $root."
    else
        # Mounts live in namespaces that end with their command; --one-file-system is the second lock.
        rm -rf --one-file-system "$base"
    fi
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# How apt reaches its mirror is this machine's matter: proxies, and whether dates are believed.
apt-config dump |
    grep -E '^Acquire::((https?|ftp)(::[^ ]*)?|Check-Valid-Until|Check-Date|Retries) "[^"]' \
        > "$base/apt.conf" || true

say "Making a new Debian 12."
started=$SECONDS
mmdebstrap --quiet --mode=root --variant=apt --include=git,make,ca-certificates \
    --aptopt="$base/apt.conf" --setup-hook='mkdir -p "$1/etc/apt"' bookworm "$root" "${sources[@]}" \
    > "$base/mmdebstrap.log" 2>&1 ||
    { tail -n 20 "$base/mmdebstrap.log" >&2; fail "The new system could not be made (see above)."; }
note "It took $(elapsed $((SECONDS - started)))."

cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2> /dev/null || true
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2> /dev/null || true
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"
[ -z "$(git status --porcelain)" ] || say "Note: what is not committed is not tried."

# inside NAMESPACE-OPTION... -- COMMAND...: in the new system, with mounts and processes of its own.
inside() {
    local options=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    unshare --mount --pid --fork --kill-child "${options[@]}" bash -c '
        set -e
        root=$1; shift
        mount --make-rprivate /
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount -t tmpfs tmpfs "$root/run"
        keep=()
        for name in http_proxy https_proxy no_proxy NO_COLOR TERM JOBS; do
            [ -z "${!name:-}" ] || keep+=("$name=${!name}")
        done
        cd "$root/srv"
        exec chroot "$root" env -i "${keep[@]}" HOME=/tmp LANG=C.UTF-8 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            sh -c "cd /srv/waybill && exec \"\$@\"" sh "$@"
    ' bash "$root" "$@"
}

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
    git clone --quiet "file://$PWD" "$root/srv/waybill" && inside -- make demo
}
timed "git clone, make demo" clone_and_demo
timed "make test" inside -- make test
timed "make demo, without a network" inside --net -- make demo

say ""
for line in "${times[@]}"; do say "$line"; done
exit "$status"
