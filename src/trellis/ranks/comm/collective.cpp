#include "trellis/ranks/comm/collective.hpp"

#include <bit>

namespace trellis {

std::vector<std::byte> broadcast(Comm& comm, std::vector<std::byte> bytes) {
    const auto rank = static_cast<unsigned>(comm.rank()), size = static_cast<unsigned>(comm.size());
    // A rank serves those above it, from its lowest set bit down; the first serves from the top.
    unsigned step = rank == 0 ? std::bit_ceil(size) : rank & -rank;
    if (rank != 0) bytes = comm.receive(static_cast<int>(rank - step));
    while ((step /= 2) > 0)
        if (rank + step < size) comm.send(static_cast<int>(rank + step), bytes);
    return bytes;
}

}  // namespace trellis
