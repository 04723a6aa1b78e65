// Connecting to a server.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <memory>

#include "trellis/transport/streams/address.hpp"
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

}  // namespace trellis
