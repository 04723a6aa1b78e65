// Errors of connections.
#pragma once

#include "trellis/base/error.hpp"

namespace trellis {

// A peer broke the rules of the transport, or a connection failed.
class TransportError : public RunError {
    using RunError::RunError;
};

// No server listens at an address, or the server does not know the session.
class ServerGone : public TransportError {
    using TransportError::TransportError;
};

// The peer has accepted a connection and closed it during the handshake.
class ConnectionClosed : public TransportError {
    using TransportError::TransportError;
};

}  // namespace trellis
