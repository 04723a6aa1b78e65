// Integers, most of them small, in few bytes: each block of 16 has as many bits for each as its largest needs.
#pragma once

#include <cstdint>
#include <span>

#include "trellis/packing/bytes.hpp"

namespace trellis {

void pack(std::span<const std::int64_t> values, ByteWriter& out);

// Reads as many values as were packed. Throws RunError for bytes that were not packed.
void unpack(ByteReader& in, std::span<std::int64_t> values);

}  // namespace trellis
