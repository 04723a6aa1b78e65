// TLS 1.3 between two identities: each side shows its key, and accepts the other's by its fingerprint alone.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "trellis/transport/keys/identity.hpp"

using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace trellis {

// A context for connections of one identity, without session resumption and early data, so that no handshake can be
// replayed.
std::shared_ptr<SSL_CTX> tls_context(const Identity& identity);

// Returns true if the peer with this fingerprint is accepted.
using AcceptKey = std::function<bool(const std::string& fingerprint)>;

// Lets handshakes of a connection succeed only with a peer whose Ed25519 key is accepted; null: with no peer. accept
// must be valid as long as the handshake.
void verify_peer(SSL* connection, const AcceptKey* accept);

}  // namespace trellis
