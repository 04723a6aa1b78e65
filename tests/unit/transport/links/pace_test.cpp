// Number of streams and rate limit of a link.
#include "trellis/transport/links/wide_area/pace.hpp"

#include <gtest/gtest.h>

namespace trellis::pace_test {

using std::chrono::milliseconds;

constexpr std::uint64_t window = 2 << 20;

// Keeps the link busy for a number of seconds, at a rate in bytes per second.
void keep_busy(Pace& pace, Pace::Clock::time_point& now, double& bytes, double rate, int seconds) {
    for (int k = 0; k < 20 * seconds; ++k) {
        now += milliseconds(50);
        bytes += 0.05 * rate;
        pace.note_delivered(now, static_cast<std::uint64_t>(bytes), true);
    }
}

TEST(PaceTest, streams_and_pace_follow_what_is_measured) {
    Pace pace({}, window);
    Pace::Clock::time_point now{};
    double bytes = 0;
    EXPECT_EQ(pace.streams(), 1U);
    pace.note_round_trip(milliseconds(320));
    pace.note_round_trip(milliseconds(300));
    pace.note_round_trip(milliseconds(500));
    EXPECT_EQ(pace.streams(), 27U);  // for 1 Gbit/s, until a rate is known
    EXPECT_EQ(pace.limit(), 0U);
    keep_busy(pace, now, bytes, 50e6, 6);
    EXPECT_NEAR(pace.rate(), 50e6, 1e6);
    EXPECT_EQ(pace.streams(), 11U);
    EXPECT_NEAR(static_cast<double>(pace.limit()), 0.92 * 50e6, 1e6);
    keep_busy(pace, now, bytes, 46e6, 20);  // then it is measured again, with a higher limit
    EXPECT_NEAR(static_cast<double>(pace.limit()), 1.25 * 50e6, 1e6);
    keep_busy(pace, now, bytes, 60e6, 6);
    EXPECT_NEAR(static_cast<double>(pace.limit()), 0.92 * 60e6, 1e6);
}

TEST(PaceTest, bursts_do_not_limit_the_rate) {
    Pace pace({}, window);
    Pace::Clock::time_point now{};
    double bytes = 0;
    pace.note_round_trip(milliseconds(300));
    for (int k = 0; k < 30; ++k) {
        keep_busy(pace, now, bytes, 20e6, 1);
        pace.note_delivered(now += milliseconds(1000), static_cast<std::uint64_t>(bytes), false);
    }
    EXPECT_EQ(pace.limit(), 0U);
}

TEST(PaceTest, settings_of_the_user_take_precedence) {
    Pace pace({.streams = 5, .chunk = {}, .pacing = 1000, .via = ""}, window);
    pace.note_round_trip(milliseconds(300));
    EXPECT_EQ(pace.streams(), 5U);
    EXPECT_EQ(pace.limit(), 1000U);
}

TEST(PaceTest, a_far_and_fast_link_has_at_most_64_streams) {
    Pace pace({}, 1 << 16);
    pace.note_round_trip(milliseconds(300));
    EXPECT_EQ(pace.streams(), most_streams);
}

}  // namespace trellis::pace_test
