#include "trellis/lists/walk/pile.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace trellis::pile_test {

Pile pile_up_to(std::uint32_t count) {
    Pile pile;
    for (std::uint32_t k = 0; k < count; ++k) {
        pile.make_room(1);
        pile.begin()[pile.size()] = k;
        pile.set_size(pile.size() + 1);
    }
    return pile;
}

TEST(Pile, keeps_its_values_as_it_grows) {
    const Pile pile = pile_up_to(10'000);
    ASSERT_EQ(pile.size(), 10'000U);
    for (std::uint32_t k = 0; k < 10'000; ++k) EXPECT_EQ(pile[k], k);
    const auto some = pile.span(100, 103);
    EXPECT_EQ(std::vector(some.begin(), some.end()), (std::vector<std::uint32_t>{100, 101, 102}));
}

TEST(Pile, may_be_written_behind_its_end) {
    Pile pile;
    pile.make_room(1000);
    for (std::uint32_t k = 0; k < 1000; ++k) pile.begin()[k] = k;
    EXPECT_EQ(pile.size(), 0U);
    pile.set_size(1000);
    EXPECT_EQ(pile[999], 999U);
}

TEST(Pile, moves_without_a_copy) {
    Pile from = pile_up_to(3);
    const auto* values = from.begin();
    Pile to = std::move(from);
    EXPECT_EQ(to.begin(), values);
    Pile assigned = pile_up_to(5);
    assigned = std::move(to);
    EXPECT_EQ(assigned.begin(), values);
    EXPECT_EQ(assigned.size(), 3U);
}

TEST(Pile, may_be_empty) {
    const Pile pile;
    EXPECT_EQ(pile.size(), 0U);
    EXPECT_TRUE(pile.span(0, 0).empty());
}

}  // namespace trellis::pile_test
