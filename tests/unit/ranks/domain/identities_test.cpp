#include "trellis/ranks/domain/identities.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "trellis/base/error.hpp"
#include "unit/with_threads.hpp"

namespace trellis::identities_test {

using namespace fields;

std::string complaint(const Identities& before, const Identities& after) {
    try {
        check_unchanged(before, after);
    } catch (const RunError& error) {
        return error.what();
    }
    return "";
}

TEST(Identities, count_sum_and_exclusive_or_of_the_ids) {
    ParticleSet particles(3);
    EXPECT_EQ(identities_of(particles), (Identities{3, 3, 3}));
    particles[id][0] = ~std::uint64_t{0};  // the sum is modulo 2^64
    EXPECT_EQ(identities_of(particles), (Identities{3, 2, ~std::uint64_t{3}}));
    EXPECT_EQ(identities_of(ParticleSet(0)), Identities{});
}

TEST(Identities, are_the_same_for_any_number_of_threads_and_any_order) {
    ParticleSet particles(50'000);
    const Identities one = with_threads(1, [&] { return identities_of(particles); });
    EXPECT_EQ(one, (Identities{50'000, std::uint64_t{49'999} * 25'000, 0}));
    std::ranges::reverse(particles[id]);
    EXPECT_EQ(with_threads(3, [&] { return identities_of(particles); }), one);
}

TEST(Identities, say_how_many_particles_were_lost_doubled_or_changed) {
    EXPECT_EQ(complaint({10, 45, 1}, {10, 45, 1}), "");
    EXPECT_EQ(
        complaint({10, 45, 1}, {9, 38, 6}),
        "the exchange lost 1 of 10 particles: the sum of the ids was 45 and is 38, their exclusive or was 1 and is 6");
    EXPECT_EQ(
        complaint({10, 45, 1}, {12, 50, 1}),
        "the exchange doubled 2 of 10 particles: the sum of the ids was 45 and is 50, their exclusive or was 1 and is "
        "1");
    EXPECT_EQ(
        complaint({10, 45, 1}, {10, 45, 3}),
        "the exchange changed the ids of 10 particles: the sum of the ids was 45 and is 45, their exclusive or was 1 "
        "and is 3");
}

}  // namespace trellis::identities_test
