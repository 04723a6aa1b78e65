// The share of each thread of a GPU block in the pairs of a group.
//
// Each thread owns a few i-particles, so that one j-particle read from shared memory serves several pairs. Threads
// beyond these take another slice of the j-particles, with the same i-particles, so that groups of any size keep a
// block busy.
#pragma once

#include <cstdint>

#include "trellis/base/vec.hpp"

namespace trellis {

inline constexpr std::uint32_t block_threads = 256;
inline constexpr std::uint32_t most_slices = 32;

struct Shares {
    std::uint32_t width;   // threads of a slice; thread number lane of them owns i-particles lane, lane + width, ...
    std::uint32_t slices;  // width * slices threads have work
};

// The shares for count i-particles, at least 1 and at most block_threads * owned.
TRELLIS_INLINE Shares shares_of(std::uint32_t count, std::uint32_t owned) {
    const std::uint32_t width = (count + owned - 1) / owned;
    const std::uint32_t slices = block_threads / width;
    return {width, slices < most_slices ? slices : most_slices};
}

// The number of j-particles of a slice of a tile. It is odd where a warp works on several slices: then the warp reads
// from different banks.
TRELLIS_INLINE std::uint32_t slice_length(std::uint32_t tile_count, const Shares& shares) {
    constexpr std::uint32_t warp = 32;
    return (tile_count + shares.slices - 1) / shares.slices | static_cast<std::uint32_t>(shares.width % warp != 0);
}

}  // namespace trellis
