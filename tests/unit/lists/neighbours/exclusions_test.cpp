#include "trellis/lists/neighbours/exclusions.hpp"

#include <gtest/gtest.h>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/error_message.hpp"

namespace trellis::exclusions_test {

std::string refusal(const std::vector<ExcludedPair>& pairs) {
    return message_of([&] { Exclusions{pairs}; });
}

TEST(Exclusions, name_the_partners_of_either_particle_by_rising_ids) {
    const Exclusions pairs(std::vector<ExcludedPair>{{7, 3}, {3, 9, 0.5}, {3, 1}, {1, 3}});
    const auto of_3 = pairs.partners(3);
    ASSERT_EQ(of_3.size(), 3U);
    EXPECT_EQ(of_3[0].id, 1U);
    EXPECT_EQ(of_3[2].id, 9U);
    EXPECT_EQ(of_3[2].factor, 0.5);
    EXPECT_EQ(pairs.partners(9).size(), 1U);
    EXPECT_TRUE(pairs.partners(2).empty());
    EXPECT_TRUE(pairs.partners(100).empty());
}

TEST(Exclusions, are_refused_where_they_make_no_sense) {
    EXPECT_EQ(refusal({{4, 4}}), "exclude has the pair 4 and 4: allowed are two different particles");
    EXPECT_EQ(refusal({{4, 5, -1}}), "exclude has the pair 4 and 5 with the factor -1: allowed is 0 or more");
    EXPECT_EQ(refusal({{4, 5, 0.5}, {5, 4}}),
              "exclude has the pair 4 and 5 with the factors 0 and 0.5: allowed is one");
}

TEST(Exclusions, are_refused_on_every_rank_if_a_particle_is_on_none) {
    const Exclusions pairs(std::vector<ExcludedPair>{{0, 5}, {2, 4}}), wrong(std::vector<ExcludedPair>{{0, 5}, {2, 9}});
    run_ranks(3, [&](Comm& comm) {
        ParticleSet two(2);
        for (std::size_t row = 0; row < 2; ++row)
            two[fields::id][row] = 2 * static_cast<std::uint64_t>(comm.rank()) + row;
        const Ranks ranks{std::shared_ptr<Comm>(&comm, [](Comm*) {}), {}};
        EXPECT_EQ(message_of([&] { pairs.check_present(two, &ranks); }), "");
        EXPECT_EQ(message_of([&] { wrong.check_present(two, &ranks); }),
                  "exclude has the pair 9 and 2, but no particle has the id 9: allowed are ids of particles that are "
                  "there");
        EXPECT_NE(message_of([&] { pairs.check_present(two, nullptr); }), "");
    });
}

}  // namespace trellis::exclusions_test
