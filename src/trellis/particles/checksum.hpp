// Checksums of columns: a number for the values and the order of the rows, to see whether either has changed.
#pragma once

#include <cstdint>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// The same for the same values in the same rows, whatever the number of threads. It differs after an accidental change,
// but for one in 2^32 or fewer; it is no protection against intended collisions.
std::uint64_t checksum(const Column& column);

}  // namespace trellis
