#include "trellis/devices/server/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace trellis {

namespace {

constexpr std::size_t for_files = 16, fewest_handshakes = 4;

std::size_t open_now() {
    std::error_code unknown;
    const std::filesystem::directory_iterator open("/dev/fd", unknown);
    return unknown ? 32 : static_cast<std::size_t>(std::distance(begin(open), end(open)));
}

}  // namespace

DescriptorShares share_descriptors(std::size_t most_handshakes, std::size_t most_clients) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return {most_handshakes, most_clients};
    if (limit.rlim_cur < limit.rlim_max) {
        const rlimit raised{limit.rlim_max, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
    }
    const std::size_t all = limit.rlim_cur, used = open_now() + for_files, left = all - std::min(all, used);
    const std::size_t handshakes = std::clamp(left / 4, fewest_handshakes, most_handshakes);
    return {handshakes, std::clamp<std::size_t>(left - std::min(left, handshakes), 1, most_clients)};
}

}  // namespace trellis
