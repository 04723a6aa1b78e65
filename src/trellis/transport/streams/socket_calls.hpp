// The system's calls of a socket that wait for nothing.
#pragma once

#include <asio/buffer.hpp>
#include <cstddef>
#include <optional>
#include <span>

#include "trellis/transport/streams/read_ahead.hpp"

namespace trellis {

// Reads what has come, until the buffer is full, and some of what follows. Returns the number of bytes; nothing if none
// has come. Throws asio::system_error at the end of the stream, too.
std::optional<std::size_t> receive_some(int socket, asio::mutable_buffer& wanted, ReadAhead& ahead);

// Writes as much as finds room, but for so many bytes of the first buffer. Returns the number of bytes; nothing if
// there is no room.
std::optional<std::size_t> send_some(int socket, std::span<const asio::const_buffer> buffers, std::size_t but);

// Lets 1 MiB be on its way through a Unix socket, if the system does: with its own 208 KiB, sender and receiver wait
// for each other more often.
void widen(int socket);

}  // namespace trellis
