#include "trellis/transport/streams/wide_area.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#if __has_include(<linux/tcp.h>)
#include <linux/tcp.h>  // has members that <netinet/tcp.h> lacks; so this source is compiled alone
#endif

#include <algorithm>
#include <cstddef>
#include <fstream>

namespace trellis {

namespace {

constexpr int longest_unsent = 256 << 10;           // bytes
constexpr std::uint64_t usual_buffer = 4ULL << 20;  // default of Linux, if the setting cannot be read

// The last, largest of the three numbers of a setting such as tcp_wmem.
std::uint64_t longest_buffer(const char* setting) {
    std::ifstream file(setting);
    std::uint64_t least = 0, usual = 0, most = 0;
    return file >> least >> usual >> most ? most : usual_buffer;
}

}  // namespace

// Options that the system does not have are left out.
void prepare_for_wide_area(int handle) {
    if (handle < 0) return;
#ifdef TCP_CONGESTION
    setsockopt(handle, IPPROTO_TCP, TCP_CONGESTION, "bbr", 3);
#endif
#ifdef TCP_NOTSENT_LOWAT
    setsockopt(handle, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &longest_unsent, sizeof longest_unsent);
#endif
}

void set_pacing(int handle, std::uint64_t bytes_per_second) {
    if (handle < 0) return;
#ifdef SO_MAX_PACING_RATE
    const std::uint64_t rate = bytes_per_second == 0 ? ~std::uint64_t{0} : bytes_per_second;
    setsockopt(handle, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate);
#endif
}

Delivered delivered_by([[maybe_unused]] int handle) {
#if __has_include(<linux/tcp.h>)
    tcp_info info{};
    socklen_t length = sizeof info;
    if (handle >= 0 && getsockopt(handle, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
        length >= offsetof(tcp_info, tcpi_delivered) + sizeof info.tcpi_delivered)
        return {info.tcpi_delivered, info.tcpi_snd_mss};
#endif
    return {};
}

std::uint64_t largest_window() {
    static const std::uint64_t window =
        std::min(longest_buffer("/proc/sys/net/ipv4/tcp_wmem"), longest_buffer("/proc/sys/net/ipv4/tcp_rmem")) / 2;
    return std::max<std::uint64_t>(window, 1 << 16);
}

}  // namespace trellis
