#include "trellis/forces/tree/device/shares.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace trellis::shares_test {

class SharesOf : public testing::TestWithParam<std::uint32_t> {};  // parameter: i-particles of a thread

// The number of times that each pair of an i-particle and a j-particle of a tile is computed by the threads of a block.
std::vector<std::uint32_t> times_computed(std::uint32_t count, std::uint32_t owned, std::uint32_t tile_count) {
    const Shares shares = shares_of(count, owned);
    const std::uint32_t length = slice_length(tile_count, shares);
    std::vector<std::uint32_t> times(count * tile_count);
    for (std::uint32_t thread = 0; thread < shares.width * shares.slices; ++thread)
        for (std::uint32_t i = thread % shares.width; i < count; i += shares.width)
            for (std::uint32_t k = 0; k < length; ++k) {
                const std::uint32_t j = thread / shares.width * length + k;
                if (j < tile_count) ++times[i * tile_count + j];
            }
    return times;
}

TEST_P(SharesOf, EveryPairOnce) {
    for (const std::uint32_t count : {1U, 2U, 5U, 31U, 64U, 70U, 255U, 256U, 257U, 300U, 511U, 512U})
        for (const std::uint32_t tile_count : {1U, 7U, 100U, 255U, block_threads})
            EXPECT_EQ(times_computed(count, GetParam(), tile_count), std::vector<std::uint32_t>(count * tile_count, 1))
                << count << " i-particles, " << tile_count << " j-particles";
}

TEST_P(SharesOf, NoThreadOwnsMoreThanItCan) {
    for (std::uint32_t count = 1; count <= block_threads * GetParam(); ++count) {
        const Shares shares = shares_of(count, GetParam());
        EXPECT_LE(shares.width * shares.slices, block_threads);
        EXPECT_GE(shares.width * GetParam(), count);
        EXPECT_GE(shares.slices, 1U);
    }
}

INSTANTIATE_TEST_SUITE_P(Owned, SharesOf, testing::Values(2U, 4U));

// Two slices that one warp reads begin in different banks of shared memory, for records of 16 bytes.
TEST(SliceLength, IsOddWhereAWarpWorksOnSeveralSlices) {
    for (std::uint32_t count = 1; count <= 1024; ++count) {
        const Shares shares = shares_of(count, 4);
        if (shares.width % 32 != 0) {
            EXPECT_EQ(slice_length(block_threads, shares) % 2, 1U) << count;
        }
    }
}

}  // namespace trellis::shares_test
