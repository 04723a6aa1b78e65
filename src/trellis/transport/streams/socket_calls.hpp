// System calls on a socket that do not wait.
#pragma once

#include <asio/buffer.hpp>
#include <cstddef>
#include <optional>
#include <span>

#include "trellis/transport/streams/read_ahead.hpp"

namespace trellis {

// Reads bytes that have arrived into `wanted`, and bytes beyond into `ahead`. Returns their number; empty if none has
// arrived. Throws asio::system_error, also at the end of the stream.
std::optional<std::size_t> receive_some(int socket, asio::mutable_buffer& wanted, ReadAhead& ahead);

// Writes as many bytes as the socket takes, without the first `skipped` bytes of the first buffer. Returns their
// number; empty if the socket takes none.
std::optional<std::size_t> send_some(int socket, std::span<const asio::const_buffer> buffers, std::size_t skipped);

// Requests a send buffer of 1 MiB for a Unix socket: with the default of 208 KiB, sender and receiver wait for each
// other more often.
void widen(int socket);

}  // namespace trellis
