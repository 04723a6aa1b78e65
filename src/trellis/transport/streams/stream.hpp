// Streams: connected bytes in both directions, over TCP with TLS, a Unix socket, TCP of this machine, or two pipes.
#pragma once

#include <array>
#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <cstddef>
#include <span>
#include <string>

namespace trellis {

// All functions are called by the thread that runs the stream's executor. A failed read or write throws
// asio::system_error.
class Stream {
  public:
    virtual ~Stream() = default;

    // Fills all of the buffers.
    virtual asio::awaitable<void> read(std::span<const asio::mutable_buffer> buffers) = 0;
    // Fills all of `bytes` with bytes that have arrived already; returns false, and reads nothing, if there are fewer.
    virtual bool read_at_once(std::span<std::byte> /*bytes*/) { return false; }
    // Writes all of the buffers.
    virtual asio::awaitable<void> write(std::span<const asio::const_buffer> buffers) = 0;
    // Ends waiting calls of read and write with an error; they use their buffers no more.
    virtual void close() = 0;
    // The address of the peer, for messages.
    virtual const std::string& peer() const = 0;
    // The socket's file descriptor, for its options; -1 if the stream has no socket.
    virtual int handle() { return -1; }

    asio::awaitable<void> read(std::span<std::byte> bytes) {
        const std::array<asio::mutable_buffer, 1> buffer{asio::mutable_buffer(bytes.data(), bytes.size())};
        co_await read(std::span<const asio::mutable_buffer>(buffer));
    }
};

}  // namespace trellis
