#include "trellis/ranks/comm/thread_ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "unit/error_message.hpp"
#include "unit/ranks/comm/comm_checks.hpp"

namespace trellis::thread_ranks_test {

class ThreadRanks : public testing::TestWithParam<int> {};

TEST_P(ThreadRanks, ExchangeMessagesAsAnyRanksDo) { run_ranks(GetParam(), check_comm); }

TEST_P(ThreadRanks, FinishLargeExchangesByProgressAlone) {
    run_ranks(GetParam(), check_progress_completes_large_exchange);
}

// A failure stops the other ranks in any call, and the caller receives the exception of the failed rank.
TEST_P(ThreadRanks, ReportTheFirstFailureAndDoNotWait) {
    const int failing = GetParam() / 2;
    std::atomic<int> stopped = 0;
    const auto body = [&](Comm& comm) {
        if (comm.rank() == failing) throw std::out_of_range("rank's own message");
        try {
            switch (comm.rank() % 5) {
                case 0:
                    comm.receive(failing);
                    break;
                case 1:
                    comm.all_gather({});
                    break;
                case 2:
                    comm.begin_exchange({})->finish();
                    break;
                case 3:
                    comm.split(0);
                    break;
                default:
                    for (const auto exchange = comm.begin_exchange({});;) exchange->progress();
            }
        } catch (const RunError& error) {
            EXPECT_EQ(error.what(), "rank " + std::to_string(failing) + " has failed, and this rank stops");
            ++stopped;
            throw;
        }
    };
    try {
        run_ranks(GetParam(), body);
        FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& error) {
        EXPECT_STREQ(error.what(), "rank's own message");
    }
    EXPECT_EQ(stopped, GetParam() - 1);
}

// The failing rank is not in the communicator on which some ranks wait for each other.
TEST_P(ThreadRanks, StopAtAFailureOnAnyCommunicator) {
    std::atomic<int> stopped = 0;
    const auto body = [&](Comm& comm) {
        try {
            const auto part = comm.split(comm.rank() % 2);
            comm.all_gather({});  // after this call all ranks have their parts
            if (comm.rank() == 0) throw std::out_of_range("rank's own message");
            if (part->rank() > 0 || part->size() == 1) part->receive(0);
            for (;;) part->begin_exchange({})->finish();
        } catch (const RunError& error) {
            EXPECT_STREQ(error.what(), "rank 0 has failed, and this rank stops");
            ++stopped;
        }
    };
    EXPECT_THROW(run_ranks(GetParam(), body), std::out_of_range);
    EXPECT_EQ(stopped, GetParam() - 1);
}

TEST_P(ThreadRanks, AbortEndsAllWithItsSentence) {
    try {
        run_ranks(GetParam(), [](Comm& comm) {
            const auto alone = comm.split(comm.rank());
            if (comm.rank() == comm.size() - 1) alone->abort("the sea is too rough");
            comm.receive(comm.size() - 1);
        });
        FAIL() << "nothing was thrown";
    } catch (const RunError& error) {
        EXPECT_STREQ(error.what(), "the sea is too rough");
    }
}

INSTANTIATE_TEST_SUITE_P(Of, ThreadRanks, testing::Values(1, 2, 3, 4, 5, 7, 8, 12, 64),
                         testing::PrintToStringParamName());

TEST(ThreadRanks, HaveOneThreadEach) {
    const int before = thread_count();
    run_ranks(3, [](Comm&) { EXPECT_EQ(thread_count(), 1); });
    EXPECT_EQ(thread_count(), before);
}

TEST(ThreadRanks, AreAtLeastOne) {
    EXPECT_EQ(message_of([] { run_ranks(0, [](Comm&) {}); }), "the number of ranks is 0, but must be at least 1");
}

}  // namespace trellis::thread_ranks_test
