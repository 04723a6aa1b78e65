// The address of a peer, for logs.
#pragma once

#include <asio/ip/tcp.hpp>
#include <string>

namespace trellis {

// IP address and port of the other end of a connection; "unknown" if it is closed already.
inline std::string peer_address(const asio::ip::tcp::socket& socket) {
    asio::error_code closed;
    const auto peer = socket.remote_endpoint(closed);
    return closed ? "unknown" : peer.address().to_string() + ":" + std::to_string(peer.port());
}

// The address of a peer alone.
inline std::string without_port(const std::string& peer) { return peer.substr(0, peer.rfind(':')); }

}  // namespace trellis
