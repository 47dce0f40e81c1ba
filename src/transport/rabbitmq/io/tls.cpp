#include "transport/rabbitmq/io/tls.hpp"

#include <amqp.h>
#include <amqp_ssl_socket.h>
#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <system_error>

namespace waybill::rabbitmq::io {
namespace {

bool is_address(const std::string& host) {
    in6_addr any{};
    return inet_pton(AF_INET, host.c_str(), &any) == 1 ||
           inet_pton(AF_INET6, host.c_str(), &any) == 1;
}

bool is_about_name(int why) noexcept {
    return why == X509_V_ERR_HOSTNAME_MISMATCH || why == X509_V_ERR_IP_ADDRESS_MISMATCH;
}

/// OpenSSL checks the name itself, for it knows addresses too, which the library does not.
bool expect_name(SSL_CTX* context, const std::string& host) {
    auto* wanted = SSL_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return is_address(host) ? X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1
                            : X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size()) == 1;
}

}  // namespace

std::optional<std::string> tls_session::prepare(amqp_connection_state_t_* state,
                                                const std::string& host) {
    ERR_clear_error();
    socket_ = amqp_ssl_socket_new(state);
    if (socket_ == nullptr) return "OpenSSL cannot be used: " + last_words();
    auto* context = static_cast<SSL_CTX*>(amqp_ssl_socket_get_context(socket_));
    // What is not written at once is written again from a buffer that may have moved.
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    // A server that wants TLS 1.2 to be agreed upon anew is told no: nothing stands here any more
    // that could judge its certificate then.
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_app_data(context, this);
    SSL_CTX_set_info_callback(context, &tls_session::on_state);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, &tls_session::on_certificate);
    amqp_ssl_socket_set_verify_peer(socket_, 0);      // the callback does,
    amqp_ssl_socket_set_verify_hostname(socket_, 0);  // before anything is sent
    if (settings_.verifies_host_name && !expect_name(context, host)) {
        return fmt::format("The name \"{}\" cannot be looked for in a certificate", host);
    }
    if (settings_.ca_file.empty()) {
        SSL_CTX_set_default_verify_paths(context);
    } else if (amqp_ssl_socket_set_cacert(socket_, settings_.ca_file.c_str()) != AMQP_STATUS_OK) {
        return fmt::format("The file of certificate authorities {} cannot be used: {}",
                           settings_.ca_file, last_words());
    }
    SSL_CTX_set_default_passwd_cb(context, &tls_session::on_password);
    SSL_CTX_set_default_passwd_cb_userdata(context, this);
    if (!settings_.certificate_file.empty() &&
        amqp_ssl_socket_set_key(socket_, settings_.certificate_file.c_str(),
                                settings_.key_file.c_str()) != AMQP_STATUS_OK) {
        const auto why = is_encrypted_
                             ? "the key is encrypted (openssl pkey writes it without a password)"
                             : last_words();
        return fmt::format("The certificate {} with the key {} cannot be used: {}",
                           settings_.certificate_file, settings_.key_file, why);
    }
    return std::nullopt;
}

/// Without one OpenSSL asks whoever sits at the terminal.
int tls_session::on_password(char*, int, int, void* self) {
    static_cast<tls_session*>(self)->is_encrypted_ = true;
    return -1;
}

void tls_session::on_state(const ssl_st* session, int, int) {
    auto* self = static_cast<tls_session*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(session)));
    if (self == nullptr) return;
    self->session_ = const_cast<ssl_st*>(session);
    if (SSL_get_state(session) == TLS_ST_CR_CERT_REQ) self->was_asked_ = true;
}

int tls_session::on_certificate(int believed, x509_store_ctx_st* chain) {
    if (believed == 1) return 1;
    const auto* session = static_cast<const SSL*>(
        X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
    auto* self = static_cast<tls_session*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(session)));
    if (self == nullptr) return 0;
    const int why = X509_STORE_CTX_get_error(chain);
    if (is_about_name(why) ? !self->settings_.verifies_host_name
                           : !self->settings_.verifies_certificate) {
        return 1;
    }
    self->refused_ = why;
    return 0;
}

std::optional<std::string> tls_session::distrust() const {
    if (refused_ == X509_V_OK) return std::nullopt;
    return X509_verify_cert_error_string(refused_);
}

bool tls_session::distrusts_name() const noexcept { return is_about_name(refused_); }

bool tls_session::is_cut_off() noexcept {
    const auto code = ERR_peek_last_error();
    return code == 0 || (ERR_GET_LIB(code) == ERR_LIB_SSL &&
                         ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING);
}

std::string tls_session::last_words() {
    // A file that cannot be read is said first, by the system; what follows is "system lib".
    const auto first = ERR_peek_error();
    if (ERR_SYSTEM_ERROR(first)) {
        ERR_clear_error();
        return std::system_category().message(ERR_GET_REASON(first));
    }
    const auto code = ERR_peek_last_error();
    const char* text = code != 0 ? ERR_reason_error_string(code) : nullptr;
    std::string words = text != nullptr ? text : "no reason was given";
    ERR_clear_error();
    return words;
}

void tls_session::let_go() noexcept {
    if (socket_ == nullptr) return;
    auto* context = static_cast<SSL_CTX*>(amqp_ssl_socket_get_context(socket_));
    SSL_CTX_set_info_callback(context, nullptr);
    SSL_CTX_set_app_data(context, nullptr);
    SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
}

}  // namespace waybill::rabbitmq::io
