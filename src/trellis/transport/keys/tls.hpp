// TLS 1.3 between two identities: each side shows its key, and believes the other's by its fingerprint alone.
#pragma once

#include <asio/ssl/context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "trellis/transport/keys/identity.hpp"

namespace trellis {

// A context for one kind of end. Sessions are not resumed and nothing is sent early: no handshake can be replayed.
std::shared_ptr<asio::ssl::context> tls_context(const Identity& identity);

// True if the peer of this fingerprint is to be believed.
using Believe = std::function<bool(const std::string& fingerprint)>;

// Lets a handshake succeed only with a peer that shows an Ed25519 key which is believed.
template <class TlsStream>
void demand_peer(TlsStream& stream, Believe believe) {
    stream.set_verify_mode(asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert);
    stream.set_verify_callback([believe = std::move(believe)](bool, asio::ssl::verify_context& context) {
        // a certificate that signs itself is all there may be
        if (X509_STORE_CTX_get_error_depth(context.native_handle()) != 0) return false;
        X509* certificate = X509_STORE_CTX_get_current_cert(context.native_handle());
        const std::string fingerprint = certificate == nullptr ? "" : fingerprint_of(certificate);
        return !fingerprint.empty() && believe(fingerprint);
    });
}

}  // namespace trellis
