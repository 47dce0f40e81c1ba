/// A key and a certificate that it signed itself, made anew each time.
#pragma once

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>

namespace support {

struct free_key {
    void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct free_certificate {
    void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};

struct self_signed {
    std::unique_ptr<EVP_PKEY, free_key> key{EVP_EC_gen("P-256")};
    std::unique_ptr<X509, free_certificate> certificate{X509_new()};

    self_signed() {
        REQUIRE(key != nullptr);
        X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
        X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
        X509_set_pubkey(certificate.get(), key.get());
        REQUIRE(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
    }
};

}  // namespace support
