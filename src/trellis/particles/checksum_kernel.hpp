// Checksums of 64-bit words, compiled for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/isa.hpp"

namespace trellis {

// An odd number without pattern, by which sums are multiplied.
inline constexpr std::uint64_t checksum_factor = 0x9E3779B97F4A7C15;

TRELLIS_DECLARE_VARIANTS(std::uint64_t checksum_of_words(const std::uint64_t* words, std::size_t count))

}  // namespace trellis
