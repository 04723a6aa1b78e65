#include "trellis/transport/keys/tls.hpp"

#include <openssl/ssl.h>

#include <exception>

namespace trellis {

namespace {

constexpr std::size_t read_ahead_bytes = 64 << 10;

// OpenSSL's callback: returns 1 if the certificate is accepted.
int verify_certificate(int /*by_authorities*/, X509_STORE_CTX* store) {
    const auto* connection =
        static_cast<const SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
    const auto* accept = static_cast<const AcceptKey*>(SSL_get_app_data(connection));
    X509* certificate = X509_STORE_CTX_get_current_cert(store);
    // only a chain of one certificate, which signs itself, is accepted
    if (accept == nullptr || certificate == nullptr || X509_STORE_CTX_get_error_depth(store) != 0) return 0;
    try {
        const std::string fingerprint = fingerprint_of(certificate);
        return !fingerprint.empty() && (*accept)(fingerprint) ? 1 : 0;
    } catch (const std::exception&) {  // the peer's key may be accepted another time: it receives an internal error
        X509_STORE_CTX_set_error(store, X509_V_ERR_OUT_OF_MEM);
        return 0;
    }
}

}  // namespace

std::shared_ptr<SSL_CTX> tls_context(const Identity& identity) {
    std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_method()), SSL_CTX_free);
    if (context == nullptr || SSL_CTX_use_certificate(context.get(), identity.certificate.get()) != 1 ||
        SSL_CTX_use_PrivateKey(context.get(), identity.key.get()) != 1)
        throw RunError("OpenSSL does not accept the key of this machine");
    SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
    SSL_CTX_set_num_tickets(context.get(), 0);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    // several records are read with one call, and idle connections have no buffers
    SSL_CTX_set_read_ahead(context.get(), 1);
    SSL_CTX_set_default_read_buffer_len(context.get(), read_ahead_bytes);
    SSL_CTX_set_mode(context.get(),
                     SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return context;
}

void verify_peer(SSL* connection, const AcceptKey* accept) {
    SSL_set_app_data(connection, const_cast<AcceptKey*>(accept));  // only read
    SSL_set_verify(connection, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, verify_certificate);
}

}  // namespace trellis
