# Sourced by the scripts that build, after terminal.sh.
live=no
if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then live=yes; fi

# progress WHAT [MARK]: shows ninja's status as one line that is redrawn (or, in a log, a line now
# and then), and whatever else ninja prints as it is. Touches the file MARK when anything was built.
progress() {
    local begun='' started=$SECONDS shown=$SECONDS line
    while IFS= read -r line; do
        case $line in
        *"Re-checking globbed"* | *"Re-running CMake"* | "ninja: no work to do."* | "ninja: Entering"*) ;;
        "["[0-9]*/[0-9]*"] "*)
            if [ -z "$begun" ]; then
                begun=yes
                [ $live = yes ] || say "Building $1."
            fi
            if [ $live = yes ]; then
                line=${line/ Building CXX object / }
                printf '\r\e[K%s%.*s%s' "$dim" "$((${COLUMNS:-$(tput cols 2> /dev/null || echo 80)} - 1))" \
                    "$line" "$plain" >&2
            elif [ $((SECONDS - shown)) -ge 20 ]; then
                shown=$SECONDS
                say "  ${line%%]*}] after $(elapsed $((SECONDS - started)))"
            fi
            ;;
        *)
            [ $live = no ] || printf '\r\e[K' >&2
            printf '%s\n' "$line" >&2
            ;;
        esac
    done
    [ -n "$begun" ] || return 0
    [ $live = no ] || printf '\r\e[K' >&2
    [ -z "${2:-}" ] || touch "$2"
}
