// Work is shared in contiguous ranges that are as equal as its items allow.
#include <gtest/gtest.h>

#include <utility>

#include "trellis/devices/devices.hpp"

namespace trellis::equal_shares_test {

using Counts = std::vector<std::uint64_t>;
using Ends = std::vector<std::size_t>;

TEST(EqualShares, cover_all_items_in_order) {
    EXPECT_EQ(equal_shares(Counts(12, 5), Counts(3)), (Ends{4, 8, 12}));
    EXPECT_EQ(equal_shares(Counts{9, 1, 1, 1, 9, 3}, Counts(2)), (Ends{4, 6}));
    EXPECT_EQ(equal_shares(Counts{7}, Counts(1)), Ends{1});
    EXPECT_EQ(equal_shares(Counts{}, Counts(2)), (Ends{0, 0}));
    EXPECT_EQ(equal_shares(Counts(3, 0), Counts(2)).back(), 3U);
}

TEST(EqualShares, are_spread_over_more_devices_than_items) {
    EXPECT_EQ(equal_shares(Counts(2, 100), Counts(4)), (Ends{0, 1, 1, 2}));
    EXPECT_EQ(equal_shares(Counts(3, 1), Counts(6)), (Ends{1, 2, 3, 3, 3, 3}));
    std::size_t begin = 0;
    for (const std::size_t end : equal_shares(Counts(100, 7), Counts(64)))
        EXPECT_LE(end - std::exchange(begin, end), 2U);
}

TEST(EqualShares, make_up_for_what_a_device_had_before) {
    EXPECT_EQ(equal_shares(Counts(6, 10), Counts{40, 0}), (Ends{1, 6}));
    EXPECT_EQ(equal_shares(Counts(6, 10), Counts{90, 0}), (Ends{0, 6}));
}

}  // namespace trellis::equal_shares_test
