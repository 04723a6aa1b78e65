// A stream over a socket of Asio, with or without TLS around it.
#pragma once

#include <asio/read.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <string>
#include <utility>

#include "trellis/transport/streams/close.hpp"
#include "trellis/transport/streams/stream.hpp"

namespace trellis {

template <class Socket>
class SocketStream : public Stream {
  public:
    SocketStream(Socket socket, std::string peer) : socket_(std::move(socket)), peer_(std::move(peer)) {}

    using Stream::read;
    asio::awaitable<void> read(std::span<const asio::mutable_buffer> buffers) override {
        co_await asio::async_read(socket_, buffers, asio::use_awaitable);
    }
    asio::awaitable<void> write(std::span<const asio::const_buffer> buffers) override {
        co_await asio::async_write(socket_, buffers, asio::use_awaitable);
    }
    void close() override { close_quietly(socket_.lowest_layer()); }
    const std::string& peer() const override { return peer_; }
    int handle() override { return socket_.lowest_layer().native_handle(); }
    Socket& socket() { return socket_; }

  private:
    Socket socket_;
    std::string peer_;
};

}  // namespace trellis
