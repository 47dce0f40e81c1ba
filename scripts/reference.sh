#!/usr/bin/env bash
# reference.sh: builds the reference of the public headers into build/reference by Doxygen. A
# warning is an error, and so is a public name without a comment.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/terminal.sh

command -v doxygen > /dev/null || fail "Doxygen is not installed." "Run scripts/setup.sh reference."
rm -rf build/reference
mkdir -p build/reference
said=$(doxygen docs/Doxyfile 2>&1) || { printf '%s\n' "$said" >&2; fail "Doxygen failed (see above)."; }
[ -z "$said" ] || { printf '%s\n' "$said" >&2; fail "Doxygen has warnings (see above)."; }
note "The reference is in build/reference/index.html."
