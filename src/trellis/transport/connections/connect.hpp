// The client's end of a connection to a server.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "trellis/transport/addresses/address.hpp"
#include "trellis/transport/streams/stream.hpp"

namespace trellis {

constexpr std::chrono::milliseconds time_to_connect{5000};

// Connects within time_to_connect, or `longest` if that is shorter. Throws InputError if the host is unknown or the
// server's key is not the trusted one, TransportError if no server answers.
//
// ssh://: runs `$TRELLIS_SSH HOST $TRELLIS_REMOTE serve --stdio`, by default `ssh` and `trellis`. The process ends when
// the stream is closed.
asio::awaitable<std::shared_ptr<Stream>> connect(const Address& address,
                                                 std::chrono::milliseconds longest = time_to_connect);

// The name of an address in the list of trusted keys: HOST, with :PORT if that is not usual_port.
std::string name_of(const Address& address);

// The peer of a connection over TLS, which a forwarder may pass on.
struct TlsPeer {
    Address address;             // to connect to
    std::string name;            // in the list of trusted keys: the peer must show this key
    std::filesystem::path keys;  // the folder with that list and this side's key
};

// As connect. Throws ConnectionClosed if the peer closes the connection before the TLS handshake is complete.
asio::awaitable<std::shared_ptr<Stream>> connect_tls(const TlsPeer& peer,
                                                     std::chrono::milliseconds longest = time_to_connect);

}  // namespace trellis
