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

// The server has no room for a client at present: it may be tried again.
class ServerBusy : public TransportError {
    using TransportError::TransportError;
};

// The peer has accepted a connection and closed it during the handshake, as one does that has no room.
class ConnectionClosed : public ServerBusy {
    using ServerBusy::ServerBusy;
};

}  // namespace trellis
