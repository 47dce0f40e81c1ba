#!/usr/bin/env bash
# setup.sh GROUP...: installs the Debian packages that building, testing, measuring or checking
# needs, and only those that are missing. When all are there it costs nothing and uses no network.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/terminal.sh

build=(make g++-12 cmake ninja-build ccache libsimdjson-dev rapidjson-dev libcbor-dev libspdlog-dev
       libfmt-dev libcli11-dev librabbitmq-dev libssl-dev)
reference=(python3 doxygen)
brokers=(openssl util-linux)
without=${WAYBILL_TEST_WITHOUT:-}
# What a run names that does without a broker, it does not install either.
case " ${without//,/ } " in *" rabbitmq "*) ;; *) brokers+=(rabbitmq-server) ;; esac
test=(git python3 pkg-config doctest-dev nlohmann-json3-dev libmsgpack-cxx-dev "${reference[@]}")
bench=(python3 valgrind nlohmann-json3-dev libmsgpack-cxx-dev)
sanitize=(clang-19 libclang-rt-19-dev)
fresh=(git mmdebstrap)
deb=(git debhelper dpkg-dev lintian)
check=(git python3 clang-format-19 clang-tidy-19)

wanted=()
for group in "${@:-build}"; do
    case $group in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${build[@]}" "${test[@]}") ;;
    bench) wanted+=("${build[@]}" "${bench[@]}") ;;
    sanitize) wanted+=("${build[@]}" "${test[@]}" "${sanitize[@]}") ;;
    check) wanted+=("${build[@]}" "${test[@]}" "${bench[@]}" "${check[@]}") ;;
    brokers) wanted+=("${brokers[@]}") ;;
    reference) wanted+=("${reference[@]}") ;;
    fresh) wanted+=("${fresh[@]}") ;;
    deb) wanted+=("${build[@]}" "${deb[@]}") ;;
    format) wanted+=(git clang-format-19) ;;
    *) fail "There is no group of packages named \"$group\"." \
             "The groups are: build, test, bench, sanitize, check, brokers, reference, format, fresh, deb." ;;
    esac
done

[ "${WAYBILL_SETUP:-}" != skip ] || exit 0
command -v dpkg-query > /dev/null && command -v apt-get > /dev/null ||
    fail "This is not a Debian system, so the packages cannot be installed from here." \
         "Waybill is built on Debian 12 with: ${wanted[*]}" \
         "If you have brought their like yourself, set WAYBILL_SETUP=skip and start again."

present=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${wanted[@]}" 2> /dev/null || true)"
missing=()
for package in "${wanted[@]}"; do
    case "$present ${missing[*]/#/installed:} " in
    *" installed:$package "*) ;;
    *) missing+=("$package") ;;
    esac
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
    command -v sudo > /dev/null ||
        fail "Packages are missing, and installing them takes root; there is no sudo here." \
             "As root, run: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
fi

log=$(mktemp)
policy=/usr/sbin/policy-rc.d
forbade=no
clean_up() {
    rm -f "$log"
    [ $forbade = no ] || "${as_root[@]}" rm -f "$policy"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
        -o Acquire::Retries=3 "$@" < /dev/null >> "$log" 2>&1
}

say "Installing what is missing: ${missing[*]}"
# sudo may ask for a password: before the output goes to a file.
[ ${#as_root[@]} -eq 0 ] || sudo -v || fail "sudo refused, so nothing was installed."
started=$SECONDS
if ! apt update; then
    tail -n 15 "$log" >&2
    fail "apt-get cannot read the package lists (its last lines are above)." \
         "Check the network and /etc/apt, then start again."
fi
# A server is for the tests to start, each its own: its package starts none, now or with the machine.
case " ${missing[*]} " in
*-server\ *)
    if [ ! -e "$policy" ]; then
        forbade=yes
        printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" install -m 755 /dev/stdin "$policy"
    fi ;;
esac
if ! apt install --no-install-recommends "${missing[@]}"; then
    tail -n 15 "$log" >&2
    release=$(. /etc/os-release 2> /dev/null && echo "${PRETTY_NAME:-an unknown system}")
    fail "apt-get could not install the packages (its last lines are above)." \
         "They are those of Debian 12; this is $release."
fi
case " ${missing[*]} " in
*" rabbitmq-server "*)
    ! command -v systemctl > /dev/null ||
        "${as_root[@]}" systemctl --quiet disable rabbitmq-server epmd.service epmd.socket >> "$log" 2>&1 ||
        say "systemctl could not keep rabbitmq-server from starting with the machine." ;;
esac
note "Installed in $(elapsed $((SECONDS - started)))."
