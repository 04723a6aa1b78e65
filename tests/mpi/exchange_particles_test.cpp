#include <gtest/gtest.h>

#include "unit/ranks/domain/exchange_checks.hpp"

namespace trellis {
namespace {

TEST(MpiRanksExchangeParticles, rows_arrive_in_order) { checks::rows_arrive_in_order(*world()); }
TEST(MpiRanksExchangeParticles, a_cluster_comes_round) { checks::a_cluster_comes_round(*world()); }
TEST(MpiRanksExchangeParticles, rows_at_home_are_left_alone) { checks::rows_at_home_are_left_alone(*world()); }
TEST(MpiRanksExchangeParticles, only_ranks_that_get_rows_are_sent_to) {
    checks::only_ranks_that_get_rows_are_sent_to(*world());
}
TEST(MpiRanksExchangeParticles, what_goes_wrong_on_the_way_is_noticed) {
    checks::what_goes_wrong_on_the_way_is_noticed(*world());
}
TEST(MpiRanksExchangeParticles, unlike_columns_are_named) { checks::unlike_columns_are_named(*world()); }
TEST(MpiRanksExchangeParticles, ids_that_are_there_twice_are_named) {
    checks::ids_that_are_there_twice_are_named(*world());
}

}  // namespace
}  // namespace trellis
