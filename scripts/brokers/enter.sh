#!/usr/bin/env bash
# enter.sh FOLDER COMMAND...: runs a command as the server of FOLDER sees the world: its environment and,
# where the server is unpacked, its root, in which FOLDER is /srv. The mounts are in a namespace that
# ends with the command; whoever is not root becomes it in a namespace of his own.
set -euo pipefail
folder=$1
shift
. "$folder/environment"
if [ -z "$server_root" ]; then
    cd "$folder"
    exec "$@"
fi
mapped=()
[ "$(id -u)" = 0 ] || mapped=(--map-root-user)
exec unshare --mount --propagation private "${mapped[@]}" bash -c '
    set -e
    folder=$1 root=$2
    shift 2
    mount --bind "$folder" "$root/srv"
    mount --rbind /dev "$root/dev"
    mount --rbind /proc "$root/proc"
    exec chroot "$root" /bin/sh -c "cd /srv && exec \"\$@\"" sh "$@"
' bash "$folder" "$server_root" "$@"
