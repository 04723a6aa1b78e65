// The errors of connections.
#pragma once

#include "trellis/base/error.hpp"

namespace trellis {

// A peer broke the rules of the transport, or a connection failed.
class TransportError : public RunError {
    using RunError::RunError;
};

// No server listens at an address, or one that has never heard of the session.
class ServerGone : public TransportError {
    using TransportError::TransportError;
};

// Somebody has accepted a connection and closed it before it was of use.
class ConnectionClosed : public TransportError {
    using TransportError::TransportError;
};

}  // namespace trellis
