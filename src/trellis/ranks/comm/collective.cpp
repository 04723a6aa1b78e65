#include "trellis/ranks/comm/collective.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace trellis {
namespace {

// The ranks [begin, end) of a site.
struct Site {
    int begin, end;
};

Site own_site(const Comm& comm) {
    const auto begins = comm.site_begins();
    const auto next = std::ranges::upper_bound(begins, comm.rank());
    return {*(next - 1), next == begins.end() ? comm.size() : *next};
}

}  // namespace

std::vector<std::byte> broadcast_on_site(Comm& comm, std::vector<std::byte> bytes) {
    const Site site = own_site(comm);
    const auto local = static_cast<unsigned>(comm.rank() - site.begin);
    const auto size = static_cast<unsigned>(site.end - site.begin);
    const auto rank_at = [&](unsigned k) { return site.begin + static_cast<int>(k); };
    // A rank sends to the ranks at the distances below its lowest set bit; the first rank, to all powers of two.
    unsigned step = local == 0 ? std::bit_ceil(size) : local & -local;
    if (local != 0) bytes = comm.receive(rank_at(local - step));
    while ((step /= 2) > 0)
        if (local + step < size) comm.send(rank_at(local + step), bytes);
    return bytes;
}

std::vector<std::byte> joined_bytes(const std::vector<Message>& messages) {
    std::size_t size = 0;
    for (const Message& message : messages) size += message.bytes.size();
    std::vector<std::byte> all;
    all.reserve(size);
    for (const Message& message : messages) all.insert(all.end(), message.bytes.begin(), message.bytes.end());
    return all;
}

std::vector<std::byte> broadcast(Comm& comm, std::vector<std::byte> bytes) {
    if (comm.rank() == 0)
        for (const int first : comm.site_begins().subspan(1)) comm.send(first, bytes);
    else if (comm.rank() == own_site(comm).begin)
        bytes = comm.receive(0);
    return broadcast_on_site(comm, std::move(bytes));
}

}  // namespace trellis
