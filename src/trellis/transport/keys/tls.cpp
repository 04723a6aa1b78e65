#include "trellis/transport/keys/tls.hpp"

#include <openssl/ssl.h>

namespace trellis {

std::shared_ptr<asio::ssl::context> tls_context(const Identity& identity) {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls);
    SSL_CTX* tls = context->native_handle();
    SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION);
    SSL_CTX_set_num_tickets(tls, 0);
    SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(tls, 1);
    if (SSL_CTX_use_certificate(tls, identity.certificate.get()) != 1 ||
        SSL_CTX_use_PrivateKey(tls, identity.key.get()) != 1)
        throw RunError("OpenSSL does not take the key of this machine");
    return context;
}

}  // namespace trellis
