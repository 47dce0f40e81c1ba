#!/usr/bin/env bash
# end_of_process_test.sh: a server that ends by itself just before it is told to is stopped all the same.
set -euo pipefail
cd "$(dirname "$0")/../.."
wrong() { echo "$*"; exit 1; }
WAYBILL_BROKERS_RUN=$(mktemp -d)
export WAYBILL_BROKERS_RUN
trap 'rm -rf --one-file-system "${WAYBILL_BROKERS_RUN:?}"' EXIT

# Ends the process before the signal arrives, as if it had gone by itself in between, and says what kill
# says then.
kill() {
    local process=${!#}
    builtin kill -9 "$process"
    while [ -e "/proc/$process" ] && ! grep -q '^State:[[:space:]]*Z' "/proc/$process/status"; do sleep 0.01; done
    return 1
}
export -f kill

for command in stop kill; do
    mkdir -p "$WAYBILL_BROKERS_RUN/gone"
    sleep 600 &
    process=$!
    disown "$process"
    file=$WAYBILL_BROKERS_RUN/gone/server.pid
    echo "$process $(sed -n 's/.*) //p' "/proc/$process/stat" | cut -d ' ' -f 20)" > "$file"
    scripts/brokers/rabbitmq "$command" gone || wrong "\"$command\" failed, as the process ended meanwhile."
    ! builtin kill -0 "$process" 2> /dev/null || grep -q '^State:[[:space:]]*Z' "/proc/$process/status" ||
        wrong "\"$command\" left the process alone."
    [ "$command" != stop ] || [ ! -e "$file" ] || wrong "\"stop\" still remembers the process."
done
