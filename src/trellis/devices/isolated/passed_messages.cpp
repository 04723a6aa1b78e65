#include "trellis/devices/isolated/passed_messages.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace trellis {

namespace {

constexpr std::size_t most_passed = 4;

}  // namespace

void OwnDescriptor::close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
}

std::array<OwnDescriptor, 2> socket_pair() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::runtime_error(std::string("cannot make a socket: ") + std::strerror(errno));
    return {OwnDescriptor(ends[0]), OwnDescriptor(ends[1])};
}

bool send_all(const OwnDescriptor& to, std::span<const std::byte> bytes, std::span<const int> passed) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(most_passed * sizeof(int))> control{};
    while (!bytes.empty()) {
        iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        if (!passed.empty()) {
            message.msg_control = control.data();
            message.msg_controllen = CMSG_SPACE(passed.size_bytes());
            cmsghdr* const header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(passed.size_bytes());
            std::memcpy(CMSG_DATA(header), passed.data(), passed.size_bytes());
        }
        const ssize_t sent = sendmsg(to.number(), &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        passed = {};
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

bool receive_all(const OwnDescriptor& from, std::span<std::byte> bytes, std::span<OwnDescriptor> passed) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(most_passed * sizeof(int))> control{};
    while (!bytes.empty()) {
        iovec part{bytes.data(), bytes.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t got = recvmsg(from.number(), &message, MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
            if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
            for (std::size_t k = 0; k < (header->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++k) {
                int number = -1;
                std::memcpy(&number, CMSG_DATA(header) + k * sizeof number, sizeof number);
                OwnDescriptor arrived(number);
                if (passed.empty()) continue;
                passed.front() = std::move(arrived);
                passed = passed.subspan(1);
            }
        }
        bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

}  // namespace trellis
