#!/usr/bin/env bash
# deb.sh: builds the Debian packages, installs them with apt on a Debian 12 that was made a minute ago,
# and builds and runs a service against them there. Takes root.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/terminal.sh
. scripts/new_system.sh
[ "$(id -u)" = 0 ] || exec sudo -- "$0" "$@"

scripts/deb.sh
new_system ca-certificates
mkdir "$root/srv/parcels"
cp build-deb/*.deb tests/install/*.{cpp,hpp,txt} "$root/srv/parcels"
cat > "$root/srv/parcels/try.sh" <<'TRY'
set -eu
apt() { DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$@" > apt.log 2>&1 || { cat apt.log; exit 1; }; }
wrong() { echo "$*"; exit 1; }
libraries() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v "^libm\." | sort | xargs; }

apt-get -q update > apt.log 2>&1 || { cat apt.log; exit 1; }
# The service needs the development files without the test kit; apt brings what these stand on.
apt ./libwaybill-core0.1_*.deb ./libwaybill-memory0.1_*.deb \
    ./libwaybill-rabbitmq0.1_*.deb ./libwaybill-dev_*.deb \
    g++ cmake make pkg-config
for name in simdjson.h rapidjson cbor.h fmt spdlog CLI amqp.h openssl; do
    [ ! -e "/usr/include/$name" ] || wrong "$name is here, so this proves nothing about the headers."
done
g++ -std=c++23 -Wall -Wextra -Werror main.cpp -o parcels $(pkg-config --cflags --libs waybill)
./parcels
wanted="libc.so.6 libgcc_s.so.1 libstdc++.so.6 libwaybill_core.so.0.1 libwaybill_memory.so.0.1"
[ "$(libraries parcels)" = "$wanted" ] || wrong "The service loads $(libraries parcels)."
g++ -std=c++23 -Wall -Wextra -Werror rabbitmq.cpp -o letters $(pkg-config --cflags --libs waybill)
./letters > letters.log 2>&1 || wrong "$(cat letters.log)"
[ "$(libraries letters)" = "$(echo "$wanted" | sed s/memory/rabbitmq/)" ] || wrong "It loads $(libraries letters)."
! ls /usr/include/waybill/*testing.hpp 2> /dev/null || wrong "libwaybill-dev has the test kit's header."
! pkg-config --exists waybill-testing || wrong "libwaybill-dev has the test kit."

apt ./libwaybill-testing0.1_*.deb ./libwaybill-rabbitmq-testing0.1_*.deb ./libwaybill-testing-dev_*.deb
cmake -S . -B build > cmake.log 2>&1 || wrong "$(cat cmake.log)"
cmake --build build
build/parcels
build/parcels_test
build/letters_test

# A machine that only runs it.
apt-get -q -y purge libwaybill-dev g++ > apt.log 2>&1
./parcels
./letters > letters.log 2>&1 || wrong "$(cat letters.log)"
TRY
inside /srv/parcels -- sh ./try.sh
echo "A service builds and runs against the Debian packages on a new Debian 12."
