#include <gtest/gtest.h>

#include "unit/ranks/domain/exchange_checks.hpp"

namespace trellis {
namespace {

TEST(MpiRanksExchangeParticles, rows_arrive_in_order) { checks::rows_arrive_in_order(*world()); }
TEST(MpiRanksExchangeParticles, a_cluster_moves_round_all_ranks) { checks::a_cluster_moves_round_all_ranks(*world()); }
TEST(MpiRanksExchangeParticles, rows_on_their_rank_stay) { checks::rows_on_their_rank_stay(*world()); }
TEST(MpiRanksExchangeParticles, only_ranks_that_receive_rows_are_sent_to) {
    checks::only_ranks_that_receive_rows_are_sent_to(*world());
}
TEST(MpiRanksExchangeParticles, changed_lost_and_doubled_particles_are_noticed) {
    checks::changed_lost_and_doubled_particles_are_noticed(*world());
}
TEST(MpiRanksExchangeParticles, different_columns_are_named) { checks::different_columns_are_named(*world()); }
TEST(MpiRanksExchangeParticles, duplicate_ids_are_named) { checks::duplicate_ids_are_named(*world()); }

}  // namespace
}  // namespace trellis
