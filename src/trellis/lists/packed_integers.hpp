// Integers that are mostly small as few bytes: 16 at a time have as many bits each as the largest of them needs.
#pragma once

#include <cstdint>
#include <span>

#include "trellis/ranks/bytes.hpp"

namespace trellis {

void pack(std::span<const std::int64_t> values, ByteWriter& out);

// As many as were packed. Throws RunError for bytes that were not.
void unpack(ByteReader& in, std::span<std::int64_t> values);

}  // namespace trellis
