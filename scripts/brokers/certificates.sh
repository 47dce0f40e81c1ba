#!/usr/bin/env bash
# certificates.sh FOLDER: a certificate authority to be thrown away, with it a certificate for the
# server (localhost, 127.0.0.1) and one for the client whose name is `client`; `stranger` bears the same
# name by an authority that nobody trusts. Leaves FOLDER/{ca,server,client,stranger,strange_ca}.{crt,key}.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,4s/^# \?//p' "$0" >&2; exit 2; }
mkdir -p "$1"
cd "$1"

# authority FILE NAME
authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 \
        -subj "/CN=$2" -keyout "$1.key" -out "$1.crt" \
        -addext keyUsage=critical,keyCertSign,cRLSign
}

# signed FILE NAME AUTHORITY EXTENSION...
signed() {
    local file=$1 name=$2 by=$3
    shift 3
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$name" \
        -keyout "$file.key" -out "$file.csr"
    openssl x509 -req -days 3650 -in "$file.csr" -CA "$by.crt" -CAkey "$by.key" -CAcreateserial \
        -extfile <(printf '%s\n' "$@") -out "$file.crt"
    rm "$file.csr"
}

make_all() {
    authority ca 'Waybill tests'
    signed server localhost ca subjectAltName=DNS:localhost,IP:127.0.0.1 extendedKeyUsage=serverAuth
    signed client client ca extendedKeyUsage=clientAuth
    authority strange_ca Nobody
    signed stranger client strange_ca extendedKeyUsage=clientAuth
}
make_all > openssl.log 2>&1 || { cat openssl.log >&2; exit 1; }
