#include "trellis/ranks/comm/collective.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace trellis {
namespace {

struct Site {
    int begin, end;  // of its ranks
};

Site own_site(const Comm& comm) {
    const auto begins = comm.site_begins();
    const auto next = std::ranges::upper_bound(begins, comm.rank());
    return {*(next - 1), next == begins.end() ? comm.size() : *next};
}

}  // namespace

std::vector<std::byte> broadcast_on_site(Comm& comm, std::vector<std::byte> bytes) {
    const Site site = own_site(comm);
    const auto place = static_cast<unsigned>(comm.rank() - site.begin);
    const auto size = static_cast<unsigned>(site.end - site.begin);
    const auto rank_at = [&](unsigned k) { return site.begin + static_cast<int>(k); };
    // A rank serves those above it, from its lowest set bit down; the first serves from the top.
    unsigned step = place == 0 ? std::bit_ceil(size) : place & -place;
    if (place != 0) bytes = comm.receive(rank_at(place - step));
    while ((step /= 2) > 0)
        if (place + step < size) comm.send(rank_at(place + step), bytes);
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
