// Connecting to a server.
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

// Connects within that time, or the longest given if that is shorter. Throws InputError if the server's key is not the
// one trusted, or if there is no such host; TransportError if nobody answers.
//
// ssh://: runs `$TRELLIS_SSH HOST $TRELLIS_REMOTE serve --stdio`, by default `ssh` and `trellis`. The child ends when
// the stream is closed.
asio::awaitable<std::shared_ptr<Stream>> connect(const Address& address,
                                                 std::chrono::milliseconds longest = time_to_connect);

// The name in the list of trusted keys of what is reached at an address: HOST, with :PORT where it is not the usual
// one.
std::string name_of(const Address& address);

// Whoever is to be found at the end of a connection over TLS, perhaps by way of a forwarder.
struct TlsPeer {
    Address address;             // where to connect to
    std::string name;            // whose key it must show: a name in the list of the trusted
    std::filesystem::path keys;  // the folder with that list, and this end's key
};

// As connect; throws ConnectionClosed if a connection is closed before it is one of TLS.
asio::awaitable<std::shared_ptr<Stream>> connect_tls(const TlsPeer& peer,
                                                     std::chrono::milliseconds longest = time_to_connect);

}  // namespace trellis
