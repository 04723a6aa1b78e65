#include <gtest/gtest.h>

#include "trellis/base/error.hpp"
#include "unit/ranks/comm/comm_checks.hpp"

namespace trellis::serial_comm_test {

TEST(SerialComm, ExchangesMessagesWithItself) {
    const auto comm = serial_comm();
    EXPECT_EQ(comm->rank(), 0);
    EXPECT_EQ(comm->size(), 1);
    check_comm(*comm);
    check_progress_completes_large_exchange(*comm);
}

TEST(SerialComm, ThrowsRatherThanWaitForever) { EXPECT_THROW(serial_comm()->receive(0), RunError); }

TEST(SerialComm, AbortThrowsItsSentence) {
    try {
        serial_comm()->abort("the sea is too rough", 2);
    } catch (const RunError& error) {
        EXPECT_STREQ(error.what(), "the sea is too rough");
    }
}

TEST(World, IsOneRankWhereNothingWasLaunched) {
    EXPECT_EQ(world()->size(), 1);
    EXPECT_EQ(world(), world());
}

}  // namespace trellis::serial_comm_test
