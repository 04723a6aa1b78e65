#include "trellis/ranks/domain/exchange_particles.hpp"

#include <gtest/gtest.h>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/error_message.hpp"
#include "unit/ranks/domain/exchange_checks.hpp"

namespace trellis::exchange_particles_test {

class RanksExchangeParticles : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sizes, RanksExchangeParticles, testing::Values(1, 2, 3, 4, 5, 7, 8, 12));

TEST_P(RanksExchangeParticles, rows_arrive_in_order) { run_ranks(GetParam(), checks::rows_arrive_in_order); }
TEST_P(RanksExchangeParticles, a_cluster_moves_round_all_ranks) {
    run_ranks(GetParam(), checks::a_cluster_moves_round_all_ranks);
}
TEST_P(RanksExchangeParticles, rows_on_their_rank_stay) { run_ranks(GetParam(), checks::rows_on_their_rank_stay); }
TEST_P(RanksExchangeParticles, only_ranks_that_receive_rows_are_sent_to) {
    run_ranks(GetParam(), checks::only_ranks_that_receive_rows_are_sent_to);
}
TEST_P(RanksExchangeParticles, changed_lost_and_doubled_particles_are_noticed) {
    run_ranks(GetParam(), checks::changed_lost_and_doubled_particles_are_noticed);
}
TEST_P(RanksExchangeParticles, different_columns_are_named) {
    run_ranks(GetParam(), checks::different_columns_are_named);
}
TEST_P(RanksExchangeParticles, duplicate_ids_are_named) { run_ranks(GetParam(), checks::duplicate_ids_are_named); }

TEST(RanksExchangeParticles, owners_that_are_not_ranks_are_named) {
    const auto message = [](const std::vector<int>& owner) {
        return message_of([&] {
            run_ranks(3, [&](Comm& comm) {
                ParticleSet particles(2);
                checks::exchange_and_check(comm, particles, comm.rank() == 1 ? owner : std::vector<int>{0, 2});
            });
        });
    };
    EXPECT_EQ(message({0, 3}), "row 1 is to go to rank 3: allowed are 0 to 2");
    EXPECT_EQ(message({-1, 0}), "row 0 is to go to rank -1: allowed are 0 to 2");
    EXPECT_EQ(message({0}), "1 owners are given for 2 particles: allowed is one for each");
}

}  // namespace trellis::exchange_particles_test
