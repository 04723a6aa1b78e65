#include "trellis/ranks/comm/same_call.hpp"

#include <gtest/gtest.h>

#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/error_message.hpp"

namespace trellis::same_call_test {

class SameCallOn : public testing::TestWithParam<int> {};

TEST_P(SameCallOn, joins_the_bits_of_all_ranks) {
    run_ranks(GetParam(), [](Comm& comm) {
        const auto bits = same_call(comm, "step", std::uint64_t{1} << comm.rank());
        EXPECT_EQ(bits, (std::uint64_t{1} << comm.size()) - 1);
    });
}

TEST_P(SameCallOn, names_both_calls_on_all_ranks) {
    run_ranks(GetParam(), [](Comm& comm) {
        const int astray = comm.size() - 1;
        if (astray == 0) return;
        const auto call = [&] { same_call(comm, comm.rank() == astray ? end_of_program : "Simulation.energies"); };
        EXPECT_EQ(message_of<RunError>(call),
                  "rank 0 is at Simulation.energies, but rank " + std::to_string(astray) +
                      " at the end of the program: allowed are the same calls on all ranks, in the same order");
    });
}

TEST_P(SameCallOn, serves_on_after_a_failure) {
    run_ranks(GetParam(), [](Comm& comm) {
        const auto astray = [&] { same_call(comm, comm.rank() == 0 ? "one" : "another"); };
        if (comm.size() > 1) {
            EXPECT_THROW(astray(), RunError);
        }
        EXPECT_EQ(same_call(comm, "the same", 4), 4U);
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, SameCallOn, testing::Values(1, 2, 3, 8), testing::PrintToStringParamName());

}  // namespace trellis::same_call_test
