#include "trellis/transport/streams/socket_calls.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <asio/error.hpp>
#include <asio/system_error.hpp>
#include <cerrno>

namespace trellis {

namespace {

std::optional<std::size_t> bytes_of(ssize_t result) {
    if (result >= 0) return static_cast<std::size_t>(result);
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return std::nullopt;
    throw asio::system_error(asio::error_code(errno, asio::error::get_system_category()));
}

}  // namespace

std::optional<std::size_t> receive_some(int socket, asio::mutable_buffer& wanted, ReadAhead& ahead) {
    const std::span<std::byte> room = ahead.room();
    std::array<iovec, 2> parts{{{wanted.data(), wanted.size()}, {room.data(), room.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const auto got = bytes_of(recvmsg(socket, &message, MSG_DONTWAIT));
    if (!got) return got;
    if (*got == 0) throw asio::system_error(asio::error::eof);
    ahead.received(*got - std::min(*got, wanted.size()));
    wanted += *got;
    return got;
}

std::optional<std::size_t> send_some(int socket, std::span<const asio::const_buffer> buffers, std::size_t skipped) {
    std::array<iovec, 64> parts;
    const std::size_t count = std::min(buffers.size(), parts.size());
    for (std::size_t k = 0; k < count; ++k) parts[k] = {const_cast<void*>(buffers[k].data()), buffers[k].size()};
    parts[0] = {static_cast<std::byte*>(parts[0].iov_base) + skipped, parts[0].iov_len - skipped};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    return bytes_of(sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL));
}

void widen(int socket) {
    constexpr int bytes = 1 << 20;
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);  // a failure does no harm
}

}  // namespace trellis
