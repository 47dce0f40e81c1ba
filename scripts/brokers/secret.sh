#!/usr/bin/env bash
# secret.sh WORD: the one place that knows how the tests log in. Its password is full of what a URL
# must encode, and nothing else begins like it, so whoever finds that in a log has found a leak.
#   user, password, vhost    as they are
#   login                    user:password as a URL has them
#   path                     the virtual host as a URL has it
#   forms                    each form in which the password can leak, one a line
#   hash TEXT                a password as RabbitMQ keeps it
set -euo pipefail

user=waybill
password='Ferry@7:dock/42%25 #?&=+~"\é'
vhost=waybill/tests

# encoded TEXT: every byte but letters and digits as %XX.
encoded() {
    local LC_ALL=C text=$1 index byte
    for ((index = 0; index < ${#text}; ++index)); do
        byte=${text:index:1}
        case $byte in
        [A-Za-z0-9]) printf %s "$byte" ;;
        *) printf '%%%02X' "$(($(printf %d "'$byte") & 255))" ;;
        esac
    done
}

# hashed TEXT: base64(salt, sha256(salt, TEXT)).
hashed() {
    local salt bytes
    salt=$(openssl rand -hex 4)
    bytes=$(sed 's/../\\x&/g' <<< "$salt")
    { printf %b "$bytes"; { printf %b "$bytes"; printf %s "$1"; } | openssl dgst -sha256 -binary; } |
        base64 -w 0
}

case ${1:-} in
user) printf '%s\n' "$user" ;;
password) printf '%s\n' "$password" ;;
vhost) printf '%s\n' "$vhost" ;;
login) printf '%s:%s\n' "$user" "$(encoded "$password")" ;;
path) encoded "$vhost"; echo ;;
forms)
    # What comes behind is written in more than one way.
    printf '%s\n' "${password%%/*}"
    encoded "${password%%/*}"; echo
    encoded "${password%%/*}" | sed 's/%../\L&/g'; echo
    printf %s "$password" | base64 -w 0; echo
    printf '\0%s\0%s' "$user" "$password" | base64 -w 0; echo
    ;;
hash) hashed "$2" ;;
*) sed -n '2,9s/^# \?//p' "$0" >&2; exit 2 ;;
esac
