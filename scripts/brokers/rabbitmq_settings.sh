# Sourced by `rabbitmq`: writes what one server reads when it starts.

# write_environment FOLDER ROOT: for the server, epmd and rabbitmqctl alike. With a ROOT they see
# FOLDER as /srv. Takes the ports from port, tls_port, epmd_port and distribution_port.
write_environment() {
    local folder=$1 root=$2 inside=$1
    [ -z "$root" ] || inside=/srv
    cat > "$folder/environment" << END
server_root='$root'
unset "\${!RABBITMQ_@}" NOTIFY_SOCKET
export HOME='$inside' LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin TMPDIR=/tmp
export ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT=$epmd_port
export RABBITMQ_NODENAME=waybill@localhost RABBITMQ_DIST_PORT=$distribution_port
export RABBITMQ_MNESIA_BASE='$inside/data' RABBITMQ_LOG_BASE='$inside/log'
export RABBITMQ_CONFIG_FILE='$inside/rabbitmq.conf'
export RABBITMQ_ADVANCED_CONFIG_FILE='$inside/advanced.config'
export RABBITMQ_CONF_ENV_FILE='$inside/none'
export RABBITMQ_ENABLED_PLUGINS_FILE='$inside/enabled_plugins'
export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1} +S 2:2 +sbwt none'
export RABBITMQ_CTL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1} +sbwt none'
# Its start script then becomes the server, in the place of a child.
export RUNNING_UNDER_SYSTEMD=true
END
}

# write_settings FOLDER ROOT DEMANDED: DEMANDED is true when TLS asks for a client's certificate and
# false when a client may have none.
write_settings() {
    local folder=$1 inside=$1
    [ -z "$2" ] || inside=/srv
    echo '[rabbitmq_auth_mechanism_ssl].' > "$folder/enabled_plugins"
    # What a waiting queue cannot hand on it tries again after three minutes, unless this is said: in the
    # midst of a restart that happens, and no test waits so long.
    echo '[{rabbit, [{dead_letter_worker_publisher_confirm_timeout, 10000}]}].' > "$folder/advanced.config"
    cat > "$folder/rabbitmq.conf" << END
listeners.tcp.local = 127.0.0.1:$port
listeners.ssl.local = 127.0.0.1:$tls_port
# An address that the certificate does not name.
listeners.ssl.other = 127.0.0.2:$tls_port
num_acceptors.tcp = 2
num_acceptors.ssl = 2
ssl_options.cacertfile = $inside/tls/ca.crt
ssl_options.certfile = $inside/tls/server.crt
ssl_options.keyfile = $inside/tls/server.key
ssl_options.verify = verify_peer
ssl_options.fail_if_no_peer_cert = $3
auth_mechanisms.1 = PLAIN
auth_mechanisms.2 = EXTERNAL
ssl_cert_login_from = common_name
log.file = server.log
log.file.level = info
load_definitions = $inside/definitions.json
END
}

# write_users FILE: the password is kept as its hash, so that whatever the server writes can be
# searched for it. `guest` is there for what the server's own documents show, `client` logs in by its
# certificate, and `limited` may touch only what is called limited or begins with `limited.`.
write_users() {
    local user vhost all='"configure": ".*", "write": ".*", "read": ".*"'
    local own='"configure": "^limited(\\..*)?$", "write": "^limited(\\..*)?$", "read": "^limited(\\..*)?$"'
    user=$("$here/secret.sh" user) vhost=$("$here/secret.sh" vhost)
    # a_user NAME HASH TAGS
    a_user() {
        printf '{"name": "%s", "password_hash": "%s", "tags": "%s", ' "$1" "$2" "$3"
        printf '"hashing_algorithm": "rabbit_password_hashing_sha256"}'
    }
    cat > "$1" << END
{"vhosts": [{"name": "/"}, {"name": "$vhost"}],
 "users": [
  $(a_user "$user" "$("$here/secret.sh" hash "$("$here/secret.sh" password)")" administrator),
  $(a_user guest "$("$here/secret.sh" hash guest)" administrator),
  $(a_user limited "$("$here/secret.sh" hash limited)" ''),
  $(a_user client '' '')],
 "permissions": [
  {"user": "$user", "vhost": "/", $all},
  {"user": "$user", "vhost": "$vhost", $all},
  {"user": "guest", "vhost": "/", $all},
  {"user": "limited", "vhost": "$vhost", $own},
  {"user": "client", "vhost": "$vhost", $all}]}
END
}
