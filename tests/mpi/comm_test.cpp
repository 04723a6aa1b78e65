#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "unit/ranks/comm/comm_checks.hpp"

namespace trellis {
namespace {

TEST(MpiRanks, AreAsManyAsWereStarted) { EXPECT_EQ(world()->size(), std::stoi(std::getenv("TRELLIS_TEST_RANKS"))); }

TEST(MpiRanks, AreOneCommunicator) { EXPECT_EQ(world(), world()); }

TEST(MpiRanks, ExchangeMessagesAsAnyRanksDo) { check_comm(*world()); }

TEST(MpiRanks, FinishLargeExchangesByProgressAlone) { check_progress_completes_large_exchange(*world()); }

TEST(MpiRanks, GiveUpExchanges) { check_exchange_may_be_given_up(*world()); }

}  // namespace
}  // namespace trellis
