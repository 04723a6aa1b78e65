// A stream over a socket without TLS.
#pragma once

#include <asio/error.hpp>
#include <asio/post.hpp>
#include <asio/system_error.hpp>
#include <asio/use_awaitable.hpp>
#include <string>
#include <utility>

#include "trellis/transport/streams/close.hpp"
#include "trellis/transport/streams/read_ahead.hpp"
#include "trellis/transport/streams/socket_calls.hpp"
#include "trellis/transport/streams/stream.hpp"
#include "trellis/transport/streams/turn.hpp"

namespace trellis {

template <class Socket>
class SocketStream : public Stream {
  public:
    SocketStream(Socket socket, std::string peer) : socket_(std::move(socket)), peer_(std::move(peer)) {}

    using Stream::read;
    asio::awaitable<void> read(std::span<const asio::mutable_buffer> buffers) override {
        for (asio::mutable_buffer left : buffers) {
            ahead_.move_to(left);
            while (left.size() > 0) {
                demand_open();
                const auto got = receive_some(handle(), left, ahead_);
                if (!got)
                    co_await wait_until(Socket::wait_read, reading_);
                else if (reading_.is_over_after(*got))
                    co_await let_others();
            }
        }
    }
    bool read_at_once(std::span<std::byte> bytes) override { return socket_.is_open() && ahead_.fill(bytes); }
    asio::awaitable<void> write(std::span<const asio::const_buffer> buffers) override {
        std::size_t done = 0;  // bytes of the first buffer
        while (true) {
            for (; !buffers.empty() && done >= buffers.front().size(); buffers = buffers.subspan(1))
                done -= buffers.front().size();
            if (buffers.empty()) co_return;
            demand_open();
            const auto written = send_some(handle(), buffers, done);
            done += written.value_or(0);
            if (!written)
                co_await wait_until(Socket::wait_write, writing_);
            else if (writing_.is_over_after(*written))
                co_await let_others();
        }
    }
    void close() override { close_quietly(socket_); }
    const std::string& peer() const override { return peer_; }
    int handle() override { return socket_.native_handle(); }
    Socket& socket() { return socket_; }

  private:
    asio::awaitable<void> wait_until(typename Socket::wait_type ready, Turn& turn) {
        turn.begin();
        co_await socket_.async_wait(ready, asio::use_awaitable);
    }
    asio::awaitable<void> let_others() { co_await asio::post(socket_.get_executor(), asio::use_awaitable); }
    // The stream may have been closed while other streams had their turn.
    void demand_open() const {
        if (!socket_.is_open()) throw asio::system_error(asio::error::operation_aborted);
    }

    Socket socket_;
    std::string peer_;
    ReadAhead ahead_;
    Turn reading_, writing_;
};

}  // namespace trellis
