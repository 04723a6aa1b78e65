// Collective operations, made of Comm's calls. Results have the same bits on every rank, and from run to run.
#pragma once

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

// The first rank's bytes, on every rank. They go along a binary tree: rank r gets them from the one whose number lacks
// r's lowest set bit.
std::vector<std::byte> broadcast(Comm& comm, std::vector<std::byte> bytes);

// The values of all ranks joined in the order of the ranks, on every rank.
template <class T, class Join>
T all_reduce(Comm& comm, T value, Join&& join) {
    const int rank = comm.rank(), size = comm.size();
    if (size == 1) return value;
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
