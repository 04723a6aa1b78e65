// Collective operations, made of Comm's calls. Results have the same bits on every rank, in every run, and for any
// division of the ranks among sites. Between sites each operation takes one hop.
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

// Returns the bytes of rank 0 on every rank. Between sites rank 0 sends them to the first rank of each site.
std::vector<std::byte> broadcast(Comm& comm, std::vector<std::byte> bytes);

// Returns the bytes of the first rank of each site on every rank of that site. They travel along a binary tree: rank r
// of a site receives them from the rank without r's lowest set bit.
std::vector<std::byte> broadcast_on_site(Comm& comm, std::vector<std::byte> bytes);

// The bytes of all messages, one message after another.
std::vector<std::byte> joined_bytes(const std::vector<Message>& messages);

// Joins values, which stand one after another, in the order in which all_reduce joins those of ranks.
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

// Joins the values of all ranks in the order of the ranks, on every rank. On one site values are joined on their way
// along a binary tree to rank 0. Between sites every rank receives all values and joins them itself: an answer from
// rank 0 would take a second hop.
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

// True if own is true on any rank.
inline bool any_rank(Comm& comm, bool own) {
    return all_reduce(comm, own, [](bool a, bool b) { return a || b; });
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
