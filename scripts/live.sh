#!/usr/bin/env bash
# live.sh: real servers for tests.
#   live.sh run SERVER... -- COMMAND...     starts the servers, runs the command with them, and stops them,
#                                           also after a failure or a signal
#   live.sh up SERVER...                    starts them, until `down`, or until the caller ends
#   live.sh with SERVER... -- COMMAND...    runs the command with servers that are up
#   live.sh down SERVER...
# SERVER is 3.10, 4.0 or 4.3; 3.10-demanding (and so on) is one whose TLS demands a client's certificate.
# The command finds each in its environment, as WAYBILL_RABBITMQ_310 (the URL) and, behind that name,
# _TLS, _TLS_OF_ANOTHER, _EXTERNAL, _GUEST (URLs), _CERTIFICATES (a folder), _CTL, _CONTROL (programs),
# _LOG, _PORT, _VERSION (see scripts/brokers/rabbitmq). The first one is there as WAYBILL_RABBITMQ as
# well, and one that demands certificates as WAYBILL_RABBITMQ_DEMANDING.
#
# What cannot be had is a failure, but for what WAYBILL_TEST_WITHOUT names (rabbitmq, or one server as in
# rabbitmq-4.0) and for 4.3, which comes from a Debian that changes. Then the exit code is 77.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/terminal.sh"
export WAYBILL_BROKERS_RUN=${WAYBILL_BROKERS_RUN:-$here/../build/brokers}
[ "${1:-}" != orphaned ] || [ -d "$WAYBILL_BROKERS_RUN" ] || exit 0
mkdir -p "$WAYBILL_BROKERS_RUN"
run=$(cd "$WAYBILL_BROKERS_RUN" && pwd -P)
rabbitmq=$here/brokers/rabbitmq
absent=77

usage() { sed -n '2,16s/^# \?//p' "$0" >&2; exit 2; }

# note_absence SERVER REASON
note_absence() {
    rm -rf --one-file-system "${run:?}/$1"
    echo "RabbitMQ $1 is skipped: $2" | tee "$run/$1.said"
    return $absent
}

# What a test run has to say at its end stands in SERVER.said.
up_one() {
    local server=$1 version=${1%-demanding} option=() status=0 without=${WAYBILL_TEST_WITHOUT:-}
    [ "$version" = "$server" ] || option=(--client-certificate)
    rm -f "$run/$server.said"
    "$rabbitmq" stop "$server"  # what an earlier run may have left
    case " ${without//,/ } " in
    *" rabbitmq "* | *" rabbitmq-$server "* | *" rabbitmq-$version "*)
        note_absence "$server" "WAYBILL_TEST_WITHOUT names it."
        return ;;
    esac
    "$rabbitmq" start "$server" "$version" "${option[@]}" > "$run/$server.start" 2>&1 || status=$?
    cat "$run/$server.start" >&2
    if [ $status = 3 ] && [ "$version" = 4.3 ]; then
        note_absence "$server" "$(tail -n 1 "$run/$server.start")"
        return
    fi
    [ $status = 0 ] || return 1
    echo "RabbitMQ $server is $("$rabbitmq" version "$server")." | tee "$run/$server.said"
}

# up SERVER...: all at once; 77 when none failed and one is absent.
up() {
    local server status=0 each pids=()
    for server in "$@"; do
        up_one "$server" &
        pids+=($!)
    done
    for server in "${pids[@]}"; do
        each=0
        wait "$server" || each=$?
        if [ $each = $absent ] && [ $status = 0 ]; then
            status=$absent
        elif [ $each != 0 ] && [ $each != $absent ]; then
            status=1
        fi
    done
    return $status
}

# down SERVER...: fails when the password of the tests is in what a server wrote or kept; 77 when there
# was no server.
down() {
    local server status=$absent forms leaks
    forms=$("$here/brokers/secret.sh" forms)
    for server in "$@"; do
        [ -d "$run/$server" ] || continue
        [ $status != $absent ] || status=0
        "$rabbitmq" stop "$server" || status=1
        leaks=$(grep -rlF -f - \
            "$run/$server"/{data,log,server.out,epmd.out} <<< "$forms" || true)
        if [ -n "$leaks" ]; then
            say "${red}The password of the tests is in these files of the server $server:$plain" "$leaks"
            status=1
        else
            rm -rf --one-file-system "${run:?}/$server/data"
        fi
    done
    return $status
}

# export_server SERVER NAME: in variables that begin with NAME.
export_server() {
    local line
    [ -f "$run/$1/env" ] || fail "The server $1 is not up: scripts/live.sh up $1."
    while IFS= read -r line; do
        case $line in
        URL=*) export "$2=${line#URL=}" ;;
        TLS_URL*=* | EXTERNAL_URL=* | GUEST_URL=*) export "$2_${line/_URL/}" ;;
        *) export "$2_$line" ;;
        esac
    done < "$run/$1/env"
}

# with_servers: becomes the command.
with_servers() {
    local server
    for server in "${servers[@]}"; do
        if grep -s ' is skipped: ' "$run/$server.said"; then exit $absent; fi
        export_server "$server" "WAYBILL_RABBITMQ_$(tr -d . <<< "$server" | tr a-z- A-Z_)"
        [ "$server" = "${server%-demanding}" ] || export_server "$server" WAYBILL_RABBITMQ_DEMANDING
    done
    export_server "${servers[0]}" WAYBILL_RABBITMQ
    exec "${rest[@]}"
}

# watch_over PROCESS: stops the servers when that process has ended without doing so.
watch_over() {
    local server
    for server in "${servers[@]}"; do echo "$$ $1" > "$run/$server.owner"; done
    setsid bash -c 'tail --pid="$1" -f /dev/null; shift; exec "$@"' bash "$1" \
        "$0" orphaned "$$ $1" "${servers[@]}" > /dev/null 2>&1 < /dev/null &
}

# orphaned OWNER SERVER...: those which nobody has started since.
orphaned() {
    local owner=$1 server
    shift
    for server in "$@"; do
        [ "$(cat "$run/$server.owner" 2> /dev/null)" != "$owner" ] || down "$server" || true
    done
    case $run in */run.??????) rm -rf --one-file-system "${run:?}" ;; esac
}

run_all() {
    local status=0 child=''
    # Another run stands beside this one.
    run=$(mktemp -d "$run/run.XXXXXX")
    export WAYBILL_BROKERS_RUN=$run
    trap 'down "${servers[@]}" > /dev/null 2>&1 || true; rm -rf --one-file-system "${run:?}"' EXIT
    trap '[ -z "$child" ] || kill "$child"; exit 129' HUP
    trap '[ -z "$child" ] || kill "$child"; exit 130' INT
    trap '[ -z "$child" ] || kill "$child"; exit 143' TERM
    watch_over $$
    up "${servers[@]}" || status=$?
    [ $status = 0 ] || exit $status
    with_servers <&0 &
    child=$!
    wait "$child" || status=$?
    child=''
    down "${servers[@]}" || { [ $status != 0 ] || status=1; }
    exit $status
}

[ $# -ge 2 ] || usage
command=$1
shift
servers=() rest=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do servers+=("$1"); shift; done
[ $# -eq 0 ] || { shift; rest=("$@"); }
case "$command ${#rest[@]}" in
"up 0") watch_over $PPID; up "${servers[@]}" ;;
"down 0") down "${servers[@]}" ;;
"orphaned 0") orphaned "${servers[@]}" ;;
"run 0" | "with 0" | "up "* | "down "*) usage ;;
"run "*) run_all ;;
"with "*) with_servers ;;
*) usage ;;
esac
