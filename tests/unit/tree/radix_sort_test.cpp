#include "trellis/tree/radix_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::radix_sort_test {

using Pairs = std::vector<KeyIndex>;

// Keys made by a function, numbered in their order.
template <class Key>
Pairs pairs_of(std::size_t count, Key key) {
    Pairs pairs(count);
    for (std::size_t k = 0; k < count; ++k) pairs[k] = {key(k), static_cast<std::uint32_t>(k)};
    return pairs;
}

void expect_sorted_stably(const Pairs& unsorted) {
    Pairs expected = unsorted, work = unsorted, pairs(unsorted.size());
    SortSpace space;
    std::ranges::stable_sort(expected, {}, &KeyIndex::key);
    radix_sort(work, pairs, space);
    ASSERT_EQ(pairs.size(), expected.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        ASSERT_EQ(pairs[k].key, expected[k].key) << "at " << k << " of " << pairs.size();
        ASSERT_EQ(pairs[k].index, expected[k].index) << "at " << k << " of " << pairs.size();
    }
}

class RadixSort : public testing::TestWithParam<std::tuple<std::size_t, int>> {
  protected:
    std::size_t count() const { return std::get<0>(GetParam()); }
    void check(const Pairs& unsorted) const {
        with_threads(std::get<1>(GetParam()), [&] { expect_sorted_stably(unsorted); });
    }
    models::Random random_{4};
};

INSTANTIATE_TEST_SUITE_P(sizes, RadixSort,
                         testing::Combine(testing::Values(0, 1, 2, 31, 32, 33, 1000, 100'000),
                                          testing::Values(1, 2, 3)));

TEST_P(RadixSort, random_keys) {
    check(pairs_of(count(), [&](std::size_t) { return random_.bits() >> 1; }));
}

TEST_P(RadixSort, sorted_and_reversed_keys) {
    check(pairs_of(count(), [](std::size_t k) { return k << 40; }));
    check(pairs_of(count(), [&](std::size_t k) { return count() - k; }));
}

TEST_P(RadixSort, equal_keys_keep_their_order) {
    check(pairs_of(count(), [](std::size_t) { return std::uint64_t{12'345}; }));
}

TEST_P(RadixSort, few_distinct_keys) {
    check(pairs_of(count(), [&](std::size_t) { return (random_.bits() % 5) << 58 | random_.bits() % 3; }));
}

TEST_P(RadixSort, keys_that_differ_in_their_lowest_or_highest_bits_alone) {
    check(pairs_of(count(), [&](std::size_t) { return random_.bits() % 256; }));
    check(pairs_of(count(), [&](std::size_t) { return random_.bits() % 2048 << 52; }));
}

TEST(SortSpace, may_hold_anything) {
    Pairs pairs = pairs_of(100, [](std::size_t k) { return 100 - k; }), sorted(100, KeyIndex{7, 7});
    SortSpace space;
    space.next.resize(5);
    for (auto& of_thread : space.next) of_thread.fill(7);
    radix_sort(pairs, sorted, space);
    EXPECT_TRUE(std::ranges::is_sorted(sorted, {}, &KeyIndex::key));
    EXPECT_EQ(sorted.front().key, 1U);
    EXPECT_EQ(sorted.back().key, 100U);
}

}  // namespace trellis::radix_sort_test
