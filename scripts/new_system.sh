# Sourced after terminal.sh: makes a new Debian 12 and runs commands in it. Takes root and the
# packages of `setup.sh fresh`.
#
# The packages come from wherever this machine's own apt takes them, by the same proxy.

# new_system PACKAGE,...: makes one in $root, which goes with $base when the script ends, unless
# `keep` is yes.
new_system() {
    local sources started=$SECONDS
    mapfile -t sources < <(
        apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
            awk '$3 ~ /^bookworm(-updates|-security)?$/ && $4 == "main"' | sort -u)
    [ ${#sources[@]} -gt 0 ] ||
        fail "apt does not know of Debian 12 (bookworm) here, so there is nothing to make a new one from." \
             "Run apt-get update on a Debian 12 machine, then start again."

    base=$(mktemp -d "${TMPDIR:-/var/tmp}/waybill-fresh.XXXXXX")
    root=$base/root
    trap remove_system EXIT
    trap 'exit 130' INT TERM

    # How apt reaches its mirror is this machine's matter: proxies, and whether dates are believed.
    apt-config dump |
        grep -E '^Acquire::((https?|ftp)(::[^ ]*)?|Check-Valid-Until|Check-Date|Retries) "[^"]' \
            > "$base/apt.conf" || true

    say "Making a new Debian 12."
    mmdebstrap --quiet --mode=root --variant=apt --include="$1" \
        --aptopt="$base/apt.conf" --setup-hook='mkdir -p "$1/etc/apt"' bookworm "$root" "${sources[@]}" \
        > "$base/mmdebstrap.log" 2>&1 ||
        { tail -n 20 "$base/mmdebstrap.log" >&2; fail "The new system could not be made (see above)."; }
    note "It took $(elapsed $((SECONDS - started)))."

    cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2> /dev/null || true
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2> /dev/null || true
    printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
}

remove_system() {
    if [ "${keep:-no}" = yes ]; then
        say "The new system is left in $root."
    else
        # Mounts live in namespaces that end with their command; --one-file-system is the second lock.
        rm -rf --one-file-system "$base"
    fi
}

# inside FOLDER NAMESPACE-OPTION... -- COMMAND...: in the new system, with mounts and processes of its
# own.
inside() {
    local folder=$1 options=()
    shift
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    unshare --mount --pid --fork --kill-child "${options[@]}" bash -c '
        set -e
        root=$1 folder=$2; shift 2
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
            sh -c "cd \"\$1\" && shift && exec \"\$@\"" sh "$folder" "$@"
    ' bash "$root" "$folder" "$@"
}
