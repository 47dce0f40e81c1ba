#!/usr/bin/env bash
# server_test.sh SERVER: the server that scripts/live.sh put into the environment is the one that was
# asked for, listens on loopback only, knows the user of the tests, and writes the
# password nowhere.
set -euo pipefail
server=$1 version=${1%-demanding}
wrong() { echo "$*"; exit 1; }

# 4.3 comes from a Debian that changes: a later one is as good.
[ "$version" = 4.3 ] || [[ $WAYBILL_RABBITMQ_VERSION == "$version".* ]] ||
    wrong "RabbitMQ $version was asked for, and $WAYBILL_RABBITMQ_VERSION is here."
status=$("$WAYBILL_RABBITMQ_CTL" -q status)
[[ $status == *"RabbitMQ version: $WAYBILL_RABBITMQ_VERSION"* ]] ||
    wrong "rabbitmqctl does not speak of $WAYBILL_RABBITMQ_VERSION: $status"

# Addresses as the kernel writes them: 127.0.0.1, 127.0.0.2, ::1.
loopback='^(0100007F|0200007F|00000000000000000000000001000000)$'
for name in PORT TLS_PORT EPMD_PORT DISTRIBUTION_PORT; do
    variable=WAYBILL_RABBITMQ_$name
    listening=$(awk -v port="$(printf %04X "${!variable}")" \
        '$4 == "0A" { split($2, local, ":"); if (local[2] == port) print local[1] }' \
        /proc/net/tcp /proc/net/tcp6)
    [ -n "$listening" ] || wrong "Nobody listens on the server's $name."
    ! grep -Ev "$loopback" <<< "$listening" || wrong "The server's $name is open to the network (see above)."
done

secret=scripts/brokers/secret.sh
"$WAYBILL_RABBITMQ_CTL" -q authenticate_user "$($secret user)" "$($secret password)" ||
    wrong "The user of the tests cannot log in."
! grep -F -f <($secret forms) "$WAYBILL_RABBITMQ_LOG" || wrong "The password is in the server's log."
echo "RabbitMQ $server is $WAYBILL_RABBITMQ_VERSION, on port $WAYBILL_RABBITMQ_PORT."
