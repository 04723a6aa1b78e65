// Connections without authentication: which of them end for others.
#include "trellis/transport/connections/pending_connections.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace trellis::pending_connections_test {

using Progress = PendingConnection::Progress;
using Room = PendingConnections::Room;

class PendingConnectionsTest : public testing::Test {
  protected:
    std::shared_ptr<PendingConnection> take(const std::string& address, Progress progress = Progress::silent) {
        EXPECT_EQ(pending_.make_room(address), Room::free);
        auto pending = pending_.take(address);
        pending->drop = [this] { ++dropped_; };
        pending->progress = progress;
        return pending;
    }
    static void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(110)); }

    PendingConnections pending_{4};
    int dropped_ = 0;
};

TEST_F(PendingConnectionsTest, the_oldest_silent_one_of_an_address_with_half_of_all_ends) {
    const auto speaking = take("a", Progress::speaking), silent = take("a");
    EXPECT_EQ(pending_.make_room("a"), Room::soon);  // none ends at once
    EXPECT_EQ(pending_.make_room("b"), Room::free);
    wait();
    const auto third = take("a");
    EXPECT_EQ(silent->why_dropped, "its slot was needed for another connection");
    EXPECT_TRUE(speaking->why_dropped.empty());
    EXPECT_EQ(dropped_, 1);
}

TEST_F(PendingConnectionsTest, if_all_are_taken_one_of_the_address_with_most_ends) {
    const auto other = take("b");
    const auto first = take("a"), second = take("a", Progress::proven), third = take("a");
    wait();
    EXPECT_EQ(pending_.make_room("c"), Room::free);
    EXPECT_FALSE(first->why_dropped.empty());
    EXPECT_TRUE(other->why_dropped.empty());
}

TEST_F(PendingConnectionsTest, proven_ones_never_end) {
    std::vector<std::shared_ptr<PendingConnection>> all;
    for (int k = 0; k < 4; ++k) all.push_back(take("a", Progress::proven));
    wait();
    EXPECT_EQ(pending_.make_room("b"), Room::none);
    all.pop_back();
    EXPECT_EQ(pending_.make_room("b"), Room::free);
}

}  // namespace trellis::pending_connections_test
