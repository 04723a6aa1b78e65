#include "trellis/ranks/domain/balance.hpp"

#include <gtest/gtest.h>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/error_message.hpp"
#include "unit/ranks/domain/balance_checks.hpp"

namespace trellis::balance_test {

class BalanceOfRanks : public testing::TestWithParam<int> {};

TEST_P(BalanceOfRanks, evens_out_the_work_of_a_cluster) { run_ranks(GetParam(), check_balance_converges); }
TEST_P(BalanceOfRanks, is_the_same_on_all) { run_ranks(GetParam(), check_all_ranks_decide_the_same); }
TEST_P(BalanceOfRanks, resumes_bit_for_bit) { run_ranks(GetParam(), check_balance_resumes); }

INSTANTIATE_TEST_SUITE_P(Of, BalanceOfRanks, testing::Values(1, 2, 3, 4, 5, 7, 8, 12, 17),
                         testing::PrintToStringParamName());

TEST(Balance, of_many_ranks_is_the_same_on_all) { run_ranks(64, check_all_ranks_decide_the_same); }

// The cut along x between two ranks whose particles are centred at 0.25 and 0.75.
double middle_cut(Balance& balance, Comm& comm, double cost) {
    const Vec3<double> where{0.5 * comm.rank(), 0, 0};
    const auto own = models::particles_at(
        100, 1, [&](std::size_t row) { return where + Vec3<double>{0.005 * static_cast<double>(row), 0, 0}; });
    return balance.decide(comm, own, cost).domain(0).high.x;
}

TEST(Balance, takes_equal_costs_for_unknown_ones) {
    run_ranks(2, [](Comm& comm) {
        Balance balance;
        EXPECT_NEAR(middle_cut(balance, comm, 0), 0.5, 0.01);
        EXPECT_NEAR(middle_cut(balance, comm, comm.rank() == 0 ? 7.0 : 0.0), 0.5, 0.01);
    });
}

TEST(Balance, moves_the_cut_into_the_dearer_half_by_steps) {
    run_ranks(2, [](Comm& comm) {
        Balance balance;
        double before = middle_cut(balance, comm, 0);
        for (int step = 0; step < 20; ++step) {
            const double now = middle_cut(balance, comm, comm.rank() == 0 ? 9.0 : 1.0);
            EXPECT_LE(now, before);
            EXPECT_GT(now, 0.45 * before);
            before = now;
        }
        // Half of all work, 5, lies below 5 / 9 of the first half.
        EXPECT_NEAR(before, 0.5 * 5 / 9, 0.01);
    });
}

TEST(Balance, averages_what_was_measured) {
    run_ranks(2, [](Comm& comm) {
        Balance balance;
        middle_cut(balance, comm, 100);
        EXPECT_EQ(balance.state().own[0], 0);  // the cost before the first decision is ignored
        middle_cut(balance, comm, 100);
        EXPECT_EQ(balance.state().own[0], 1);
        middle_cut(balance, comm, 300);
        EXPECT_EQ(balance.state().own[0], 2);
        middle_cut(balance, comm, -1);
        EXPECT_EQ(balance.state().own[0], 2);
        balance.decide(comm, ParticleSet(0), 10);
        EXPECT_EQ(balance.state().own[0], 0);
    });
}

TEST(Balance, keeps_its_shape_while_another_is_little_better) {
    run_ranks(8, [](Comm& comm) {
        Balance balance;
        const auto shape_for_sides = [&](const Vec3<double>& sides) {
            models::Random random(static_cast<std::uint64_t>(comm.rank()));
            const auto own = models::particles_at(1000, 1, [&](std::size_t) {
                const Vec3<double> at = random.in_cube();
                return Vec3<double>{at.x * sides.x, at.y * sides.y, at.z * sides.z};
            });
            return balance.decide(comm, own, 1).shape();
        };
        EXPECT_EQ(shape_for_sides({1, 1, 1}), (Shape{8, 2, 2}));
        EXPECT_NE(best_shape(8, {3, 1, 1}), (Shape{8, 2, 2}));
        EXPECT_EQ(shape_for_sides({3, 1, 1}), (Shape{8, 2, 2}));
        EXPECT_EQ(shape_for_sides({20, 1, 1}), (Shape{8, 8, 1}));
    });
}

TEST(Balance, refuses_a_state_that_no_balance_gave) {
    EXPECT_EQ(message_of([] { Balance().restore({}); }),
              "the state of a balance begins with the weight of a particle: allowed is what state() gave");
    for (const DomainState& state : {DomainState{{-1}, {}}, {{std::nan("")}, {}}, {{1}, {2}}})
        EXPECT_NE(message_of([&] { Balance().restore(state); }), "");
}

}  // namespace trellis::balance_test
