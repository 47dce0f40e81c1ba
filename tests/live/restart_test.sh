#!/usr/bin/env bash
# restart_test.sh: a server that is stopped in order keeps what it was given, and one that is killed
# comes back; the port stays. Whether it is ready does not depend on its log, which may leave lines out.
set -euo pipefail
wrong() { echo "$*"; exit 1; }
process() { scripts/brokers/rabbitmq env "$(basename "$WAYBILL_RABBITMQ_DIR")" | sed -n 's/^PID=//p'; }
listens() { (exec 3<> "/dev/tcp/127.0.0.1/$WAYBILL_RABBITMQ_PORT") 2> /dev/null; }

# Whatever went wrong here is not to be met by the tests behind.
as_it_was() {
    sed -i 's/^log.file.level = error/log.file.level = info/' "$WAYBILL_RABBITMQ_DIR/rabbitmq.conf"
    [ -n "$(process)" ] || "$WAYBILL_RABBITMQ_CONTROL" restart
}
trap as_it_was EXIT

"$WAYBILL_RABBITMQ_CTL" -q add_vhost kept
first=$(process)
"$WAYBILL_RABBITMQ_CONTROL" restart
second=$(process)
[ -n "$second" ] && [ "$second" != "$first" ] || wrong "It is still process $first."
[[ $("$WAYBILL_RABBITMQ_CTL" -q list_vhosts --no-table-headers) == *kept* ]] ||
    wrong "A virtual host was lost in an orderly restart."

sed -i 's/^log.file.level = info/log.file.level = error/' "$WAYBILL_RABBITMQ_DIR/rabbitmq.conf"
WAYBILL_BROKERS_WAIT=60 "$WAYBILL_RABBITMQ_CONTROL" restart || wrong "It was not seen to be ready."
sed -i 's/^log.file.level = error/log.file.level = info/' "$WAYBILL_RABBITMQ_DIR/rabbitmq.conf"

"$WAYBILL_RABBITMQ_CONTROL" kill
[ -z "$(process)" ] || wrong "It was killed and is still there."
! listens || wrong "Somebody listens for the dead."
"$WAYBILL_RABBITMQ_CONTROL" restart
listens || wrong "It does not listen at its port."
