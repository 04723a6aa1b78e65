// Integers that are mostly small as few bytes: 16 at a time have as many bits each as the largest of them needs.
#pragma once

#include <cstdint>
#include <span>

#include "trellis/packing/bytes.hpp"

namespace trellis {

void pack(std::span<const std::int64_t> values, ByteWriter& out);

// Reads as many values as were packed. Throws RunError for bytes that were not packed.
void unpack(ByteReader& in, std::span<std::int64_t> values);

}  // namespace trellis
