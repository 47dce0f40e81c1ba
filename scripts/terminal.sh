# Sourced by the other scripts: one sentence a line, in colour only on a terminal and never with
# NO_COLOR set.
if [ -t 2 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
    bold='' dim='' red='' green='' plain=''
fi

say() { printf '%s\n' "$*" >&2; }
note() { printf '%s\n' "$dim$*$plain" >&2; }
fail() {
    printf '%s\n' "$red$1$plain" >&2
    shift
    for line in "$@"; do printf '%s\n' "$line" >&2; done
    exit 1
}

# elapsed SECONDS: "41 s" or "2 min 05 s".
elapsed() {
    if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}
