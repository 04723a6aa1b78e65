// Liveness of a site: silence, closed and refused connections.
#include "trellis/transport/links/wide_area/peer_liveness.hpp"

#include <gtest/gtest.h>

namespace trellis::peer_liveness_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

class PeerLivenessTest : public testing::Test {
  protected:
    PeerLiveness::Clock::time_point now_{};
    PeerLiveness site_{seconds(60), now_};
};

TEST_F(PeerLivenessTest, a_site_that_has_never_connected_is_not_lost) {
    site_.attempt_failed("no server listens", true);
    EXPECT_EQ(site_.loss(now_ + seconds(1000), false), std::nullopt);
}

TEST_F(PeerLivenessTest, a_silent_site_is_lost_after_the_grace) {
    site_.connected(now_);
    site_.received(now_ + seconds(5));
    EXPECT_EQ(site_.loss(now_ + seconds(65), true), std::nullopt);
    EXPECT_EQ(site_.loss(now_ + milliseconds(65'001), true), "silent for 60.0 s: no connection");
}

TEST_F(PeerLivenessTest, a_site_that_acknowledges_no_new_chunk_is_lost_after_the_grace) {
    site_.connected(now_);
    site_.acknowledged(now_ + seconds(10), 0, true);
    site_.acknowledged(now_ + seconds(30), 0, true);
    site_.acknowledged(now_ + seconds(50), 1, true);
    site_.connected(now_ + seconds(100));
    site_.received(now_ + seconds(110));
    site_.acknowledged(now_ + seconds(110), 1, true);
    EXPECT_EQ(site_.loss(now_ + seconds(110), true), std::nullopt);
    EXPECT_EQ(site_.loss(now_ + milliseconds(110'001), true),
              "what is sent has not arrived there for 60.0 s: no connection");
    site_.acknowledged(now_ + seconds(111), 2, false);
    EXPECT_EQ(site_.loss(now_ + seconds(170), true), std::nullopt);
}

TEST_F(PeerLivenessTest, a_site_that_closes_and_refuses_connections_is_lost_after_six_seconds) {
    site_.connected(now_);
    site_.stream_lost(now_ + seconds(1), "end of file", true, true);
    site_.attempt_failed("refused", true);
    EXPECT_EQ(site_.loss(now_ + seconds(7), false), std::nullopt);
    EXPECT_EQ(site_.loss(now_ + milliseconds(7001), false), "refused");
    EXPECT_EQ(site_.loss(now_ + milliseconds(7001), true), std::nullopt);
}

TEST_F(PeerLivenessTest, an_attempt_without_an_answer_or_a_new_connection_begins_again) {
    site_.connected(now_);
    for (const bool connects : {false, true}) {
        site_.stream_lost(now_, "end of file", true, true);
        if (connects)
            site_.connected(now_);
        else
            site_.attempt_failed("no answer in time", false);
        EXPECT_EQ(site_.loss(now_ + seconds(30), false), std::nullopt);
    }
}

TEST_F(PeerLivenessTest, only_the_last_stream_leaves_a_site_without_one) {
    site_.connected(now_);
    site_.stream_lost(now_ + seconds(1), "end of file", true, false);
    EXPECT_EQ(site_.without_stream_since(), now_);
    EXPECT_EQ(site_.loss(now_ + seconds(30), false), std::nullopt);
    site_.stream_silent(now_ + seconds(2), true);
    EXPECT_EQ(site_.without_stream_since(), now_ + seconds(2));
}

TEST_F(PeerLivenessTest, is_asked_once_a_second_and_its_streams_may_be_silent_for_six_seconds_or_eight_round_trips) {
    EXPECT_FALSE(site_.question_due(now_ + milliseconds(999)));
    EXPECT_TRUE(site_.question_due(now_ + milliseconds(1000)));
    EXPECT_FALSE(site_.question_due(now_ + milliseconds(1999)));
    EXPECT_EQ(PeerLiveness::longest_stream_silence(milliseconds(300)), seconds(6));
    EXPECT_EQ(PeerLiveness::longest_stream_silence(seconds(1)), seconds(8));
}

}  // namespace trellis::peer_liveness_test
