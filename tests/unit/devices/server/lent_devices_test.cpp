// Shares of the clients of a server: in the memory that it lends, and in the answers that they have not read.
#include "trellis/devices/server/lent_devices.hpp"

#include <gtest/gtest.h>

#include "trellis/devices/server/answer_account.hpp"
#include "unit/error_message.hpp"

namespace trellis::lent_devices_test {

TEST(LentDevices, each_of_eight_clients_gets_a_sixteenth_at_least) {
    constexpr std::uint64_t all = 256 << 20;
    LentDevices devices({"cpu"}, all);
    std::uint64_t first = 0, last = 0;
    for (int client = 0; client < 8; ++client) {
        last = devices.lend("cpu", 0, "me")->memory_bytes();
        if (client == 0) first = last;
        EXPECT_GE(last, all / 16) << client;
    }
    EXPECT_EQ(first, all * 9 / 32);
    devices.give_back("cpu", last, "me");
    EXPECT_EQ(devices.lend("cpu", 0, "me")->memory_bytes(), last);
}

TEST(LentDevices, too_little_memory_is_said_at_the_start) {
    LentDevices devices({"cpu"}, 1000);
    devices.lend("cpu", 990, "me");
    EXPECT_EQ(message_of<InputError>([&] { devices.lend("cpu", 0, "other"); }),
              "device cpu has 10 bytes of memory left to lend, 62 are wanted");
    EXPECT_EQ(devices.left(), 10U);
}

// Eight clients that never read, each of which asks as long as it may.
TEST(UnreadAnswers, of_all_clients_stay_within_their_limit) {
    constexpr std::uint64_t one = 1 << 20, left = 64 << 20;
    const auto all = std::make_shared<UnreadAnswers>();
    std::vector<std::shared_ptr<AnswerAccount>> accounts;
    std::vector<std::shared_ptr<const void>> unread;
    for (int client = 0; client < 8; ++client) accounts.push_back(std::make_shared<AnswerAccount>(all));
    for (bool more = true; more;) {
        more = false;
        for (const auto& account : accounts)
            for (int k = 0; k < 100 && account->has_room(left); ++k, more = true)
                unread.push_back(counted(account, one));
    }
    EXPECT_GT(all->bytes, left / 2);
    EXPECT_LE(all->bytes, left + 8 * one);
    for (const auto& account : accounts) EXPECT_FALSE(account->has_room(left));
    AnswerAccount reader(all);
    EXPECT_TRUE(reader.has_room(left));  // who has read everything goes on
    unread.clear();
    EXPECT_EQ(all->bytes, 0U);
    EXPECT_TRUE(accounts.front()->has_room(left));
}

}  // namespace trellis::lent_devices_test
