// Collective operations, made of Comm's calls. Results have the same bits on every rank, from run to run, and on
// however many sites the ranks are. Between sites each takes one trip.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

template <class T>
std::span<const std::byte> bytes_of(const T& value)
    requires std::is_trivially_copyable_v<T>
{
    return std::as_bytes(std::span<const T>(&value, 1));
}

template <class T>
T value_of(std::span<const std::byte> bytes)
    requires std::is_trivially_copyable_v<T>
{
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

// The first rank's bytes, on every rank: it sends them to the first of each other site.
std::vector<std::byte> broadcast(Comm& comm, std::vector<std::byte> bytes);

// The bytes of the first rank of each site, on every rank of the site. They go along a binary tree: the r-th rank gets
// them from the one whose number lacks r's lowest set bit.
std::vector<std::byte> broadcast_on_site(Comm& comm, std::vector<std::byte> bytes);

// The bytes of all messages, one message after another.
std::vector<std::byte> joined_bytes(const std::vector<Message>& messages);

// All values, one after another, joined in the order in which all_reduce joins those of ranks.
template <class T, class Join>
T joined_in_order(std::vector<std::byte> values, Join&& join) {
    const std::size_t count = values.size() / sizeof(T);
    const auto at = [&](std::size_t k) { return std::span(values).subspan(k * sizeof(T), sizeof(T)); };
    for (std::size_t step = 1; step < count; step *= 2)
        for (std::size_t k = 0; k + step < count; k += 2 * step) {
            const T both = join(value_of<T>(at(k)), value_of<T>(at(k + step)));
            std::ranges::copy(bytes_of(both), at(k).begin());
        }
    return value_of<T>(at(0));
}

// The values of all ranks joined in the order of the ranks, on every rank. Within a site they are joined on their way
// along a binary tree to the first rank. Those of other sites all come at once, and every rank joins them itself: an
// answer from the first rank would take a second trip.
template <class T, class Join>
T all_reduce(Comm& comm, T value, Join&& join) {
    const int rank = comm.rank(), size = comm.size();
    if (size == 1) return value;
    if (comm.spans_sites()) return joined_in_order<T>(comm.all_gather(bytes_of(value)), join);
    int step = 1;
    for (; step < size && rank % (2 * step) == 0; step *= 2)
        if (rank + step < size) value = join(value, value_of<T>(comm.receive(rank + step)));
    if (rank != 0) comm.send(rank - step, bytes_of(value));
    const auto first = bytes_of(value);
    return value_of<T>(broadcast(comm, {first.begin(), first.end()}));
}

// True if here is true on any rank.
inline bool any_rank(Comm& comm, bool here) {
    return all_reduce(comm, here, [](bool a, bool b) { return a || b; });
}

// One value of every rank, in the order of the ranks.
template <class T>
std::vector<T> all_gather(Comm& comm, const T& value) {
    const auto bytes = comm.all_gather(bytes_of(value));
    std::vector<T> values(static_cast<std::size_t>(comm.size()));
    std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
    return values;
}

}  // namespace trellis
