// TLS 1.3 between two identities: each side shows its key, and believes the other's by its fingerprint alone.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "trellis/transport/keys/identity.hpp"

using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace trellis {

// For connections of one identity. Sessions are not resumed and nothing is sent early: no handshake can be replayed.
std::shared_ptr<SSL_CTX> tls_context(const Identity& identity);

// True if the peer of this fingerprint is to be believed.
using Believe = std::function<bool(const std::string& fingerprint)>;

// Lets handshakes of the connection succeed only with a peer that shows an Ed25519 key which is believed; null: with
// none. believe outlives the handshake.
void demand_peer(SSL* connection, const Believe* believe);

}  // namespace trellis
