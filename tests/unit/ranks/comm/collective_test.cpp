#include "trellis/ranks/comm/collective.hpp"

#include <gtest/gtest.h>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/ranks/comm/comm_checks.hpp"

namespace trellis::collective_test {

class CollectiveOfRanks : public testing::TestWithParam<int> {};

TEST_P(CollectiveOfRanks, ReduceJoinsInOrderToTheSameBitsOnAll) { run_ranks(GetParam(), check_reduction); }

TEST_P(CollectiveOfRanks, BroadcastSendsTheBytesOfTheFirstToAll) { run_ranks(GetParam(), check_broadcast); }

// Each rank but the first receives one message, and no rank sends more than the logarithm of their number.
TEST_P(CollectiveOfRanks, BroadcastGoesAlongATree) {
    const auto body = [&](Comm& comm) {
        broadcast(comm, noise(1, 10));
        const std::uint64_t sent = comm.traffic().messages;
        EXPECT_LE(std::uint64_t{1} << sent, 2 * static_cast<std::uint64_t>(comm.size()));
        const auto all = all_reduce(comm, sent, [](std::uint64_t a, std::uint64_t b) { return a + b; });
        EXPECT_EQ(all, static_cast<std::uint64_t>(comm.size() - 1));
    };
    run_ranks(GetParam(), body);
}

TEST_P(CollectiveOfRanks, GatherOneValueOfEach) { run_ranks(GetParam(), check_all_gather); }

INSTANTIATE_TEST_SUITE_P(Of, CollectiveOfRanks, testing::Values(1, 2, 3, 4, 5, 7, 8, 12, 64),
                         testing::PrintToStringParamName());

}  // namespace trellis::collective_test
