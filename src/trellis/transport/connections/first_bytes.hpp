// The first bytes of a connection, which show that its peer is not silent.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <asio/awaitable.hpp>
#include <asio/error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/system_error.hpp>
#include <asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <cstddef>

namespace trellis {

// The first byte of a handshake of TLS, and of a frame (transport/sessions).
inline constexpr std::byte first_of_tls{0x16}, first_of_frame{'T'};

// True if the peer sends no more.
inline bool has_sent_all(int socket) {
    pollfd ends{socket, POLLRDHUP, 0};
    return poll(&ends, 1, 0) == 1;
}

// Waits until as many bytes have arrived as the first message of any handshake has, or others than those of a
// handshake, which begins with the byte `first`, or fewer, after which the peer sends no more. They are not read.
// Throws asio::system_error if the peer has sent none.
template <class Socket>
asio::awaitable<void> first_bytes(Socket& socket, std::byte first) {
    constexpr std::chrono::milliseconds between_looks{50};
    std::array<std::byte, 52> bytes{};
    asio::steady_timer pause(socket.get_executor());
    while (true) {
        co_await socket.async_wait(Socket::wait_read, asio::use_awaitable);
        if (!socket.is_open()) throw asio::system_error(asio::error::operation_aborted);
        const ssize_t got = recv(socket.native_handle(), bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
        if (got == 0) throw asio::system_error(asio::error::eof);
        if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            throw asio::system_error(asio::error_code(errno, asio::error::get_system_category()));
        const bool is_enough = bytes[0] != first || static_cast<std::size_t>(got) == bytes.size();
        if (got > 0 && (is_enough || has_sent_all(socket.native_handle()))) co_return;
        pause.expires_after(between_looks);  // the bytes stay, so the socket is always ready
        co_await pause.async_wait(asio::use_awaitable);
    }
}

}  // namespace trellis
