#!/usr/bin/env bash
# deb.sh: builds the Debian packages of this tree (with what is not committed) into build-deb/ and
# has lintian look at them.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/terminal.sh
. scripts/progress.sh

version=$(sed -n 's/^project(waybill VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
says() { grep -q "$1" "packaging/$2" || fail "packaging/$2 is not about version $version, which CMakeLists.txt names."; }
says "^waybill ($version-" debian/changelog
says "^Package: libwaybill-core${version%.*}$" debian/control  # the soname
says "\"version\": \"$version\"" vcpkg/vcpkg.json

started=$SECONDS
mkdir -p build-deb
rm -rf build-deb/*
source=build-deb/waybill-$version
mkdir "$source"
git ls-files -z --cached --others --exclude-standard -- . ':!packaging' |
    xargs -0 cp --parents --no-dereference -t "$source"
cp -r packaging/debian "$source/debian"

log=$PWD/build-deb/build.log
# dpkg-buildpackage gives the build a home of its own, where no cache would be.
export CCACHE_DIR=${CCACHE_DIR:-$(ccache --get-config cache_dir)}
(cd "$source" && DEB_BUILD_OPTIONS="parallel=${JOBS:-$(nproc)} terse" \
    dpkg-buildpackage --build=binary --no-sign) 2>&1 | tee "$log" |
    sed -un '/^\[[0-9]*\/[0-9]*\] /p' | progress "the Debian packages" ||
    { tail -n 15 "$log" | cut -c -200 >&2; fail "The packages could not be built (see above, and $log)."; }
rm -rf "$source"
# That an upload closes a bug of Debian's is asked of Debian's own uploads.
lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
    build-deb/*.changes >&2 || fail "lintian objects (see above)."
for package in build-deb/*.deb; do echo "$package"; done
note "Built in $(elapsed $((SECONDS - started)))."
