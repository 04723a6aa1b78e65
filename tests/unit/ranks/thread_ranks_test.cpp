#include "trellis/ranks/thread_ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "unit/error_message.hpp"
#include "unit/ranks/comm_checks.hpp"

namespace trellis {
namespace {

class ThreadRanks : public testing::TestWithParam<int> {};

TEST_P(ThreadRanks, TalkAsAnyRanksDo) { run_ranks(GetParam(), check_comm); }

TEST_P(ThreadRanks, FinishLargeExchangesByProgressAlone) {
    run_ranks(GetParam(), check_progress_completes_large_exchange);
}

// Whatever the others wait for, they hear of it, and the caller reads the failed rank's own words.
TEST_P(ThreadRanks, ReportTheFirstFailureAndDoNotWait) {
    const int failing = GetParam() / 2;
    std::atomic<int> stopped = 0;
    const auto body = [&](Comm& comm) {
        if (comm.rank() == failing) throw std::out_of_range("rank's own words");
        try {
            switch (comm.rank() % 4) {
                case 0:
                    comm.receive(failing);
                    break;
                case 1:
                    comm.all_gather({});
                    break;
                case 2:
                    comm.begin_exchange({})->finish();
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
        EXPECT_STREQ(error.what(), "rank's own words");
    }
    EXPECT_EQ(stopped, GetParam() - 1);
}

TEST_P(ThreadRanks, AbortEndsAllWithItsSentence) {
    try {
        run_ranks(GetParam(), [](Comm& comm) {
            if (comm.rank() == comm.size() - 1) comm.abort("the sea is too rough");
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

}  // namespace
}  // namespace trellis
