#!/usr/bin/env bash
# unpack.sh FOLDER SUITE PACKAGE...: the packages of another Debian suite and what they depend on,
# unpacked into FOLDER and never installed: no script of theirs runs. They come from wherever this
# machine's own apt takes its packages. What is there already is kept; two callers wait for each other.
# The exit code is 3 when the packages cannot be had.
set -euo pipefail
. "$(dirname "$0")/../terminal.sh"
[ $# -ge 3 ] || { sed -n '2,5s/^# \?//p' "$0" >&2; exit 2; }
folder=$1 suite=$2
shift 2
wanted="$suite $*"

mkdir -p "$(dirname "$folder")"
exec 9> "$folder.lock"
flock -w 900 9 || fail "Somebody else has been unpacking $folder for a quarter of an hour."
[ "$(head -n 1 "$folder/.unpacked" 2> /dev/null)" != "$wanted" ] || exit 0
started=$SECONDS

work=$folder.new
rm -rf --one-file-system "$work" "$folder"
mkdir -p "$work"/{apt/lists/partial,apt/cache/archives/partial,root}
trap 'rm -rf --one-file-system "$work"' EXIT
log=$work/log

cannot() {
    [ ! -s "$log" ] || tail -n 8 "$log" >&2
    say "$1"
    exit 3
}

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2> /dev/null |
    grep -v security | head -n 1) || true
[ -n "$mirror" ] || cannot "apt has no package lists here, so it is not known where Debian's packages are. Run apt-get update."
: > "$work/apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror%/} $suite main" \
    > "$work/apt/sources.list"

apt() {
    timeout 480 apt-get -q -y -o Dir::Etc::sourcelist="$work/apt/sources.list" \
        -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
        -o Dir::State="$work/apt" -o Dir::State::lists="$work/apt/lists" \
        -o Dir::State::status="$work/apt/status" -o Dir::Cache="$work/apt/cache" \
        -o APT::Sandbox::User= -o Acquire::Languages=none -o APT::Update::Post-Invoke-Success= \
        -o APT::Update::Post-Invoke= -o APT::Update::Error-Mode=any -o Acquire::Retries=3 "$@" < /dev/null >> "$log" 2>&1
}
note "Unpacking ${1} of Debian $suite into $folder."
apt update || cannot "The package lists of Debian $suite cannot be read."
apt --download-only --no-install-recommends install "$@" ||
    cannot "Debian $suite does not give ${1} and what it depends on."

# The links of the merged /usr come first, so that no package's files land beside them.
for name in bin sbin lib lib64; do
    mkdir -p "$work/root/usr/$name"
    ln -s "usr/$name" "$work/root/$name"
done
mkdir -p "$work"/root/{dev,proc,sys,tmp,run,etc,srv}
for package in "$work"/apt/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" |
        tar -x -C "$work/root" --no-same-owner --keep-directory-symlink -f - 2>> "$log" ||
        cannot "$(basename "$package") cannot be unpacked."
done
[ -e "$work/root/bin/sh" ] || ln -s dash "$work/root/usr/bin/sh"
printf 'root:x:0:0::/srv:/bin/sh\n' > "$work/root/etc/passwd"
printf 'root:x:0:\n' > "$work/root/etc/group"
printf '127.0.0.1 localhost\n' > "$work/root/etc/hosts"
enter=(chroot)
[ "$(id -u)" = 0 ] || enter=(unshare --map-root-user chroot)
"${enter[@]}" "$work/root" /sbin/ldconfig >> "$log" 2>&1 || cannot "ldconfig of Debian $suite does not run here."
{ echo "$wanted"; (cd "$work/apt/cache/archives" && ls -- *.deb); } > "$work/root/.unpacked"
mv "$work/root" "$folder"
note "It took $(elapsed $((SECONDS - started)))."
