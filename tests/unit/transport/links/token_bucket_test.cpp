// A token bucket limits the rate of a sender.
#include "trellis/transport/links/wide_area/token_bucket.hpp"

#include <gtest/gtest.h>

namespace trellis::token_bucket_test {

using std::chrono::milliseconds;

TEST(TokenBucketTest, without_a_limit_bytes_may_always_be_sent) {
    TokenBucket::Clock::time_point now{};
    TokenBucket tokens(now);
    for (int k = 0; k < 10; ++k) {
        EXPECT_TRUE(tokens.fill(now, 0));
        tokens.spend(1 << 30);
    }
}

TEST(TokenBucketTest, sends_at_the_rate_in_the_mean) {
    constexpr std::uint64_t rate = 1'000'000, chunk = 50'000;
    TokenBucket::Clock::time_point now{};
    TokenBucket tokens(now);
    std::uint64_t sent = 0;
    for (int k = 0; k < 10'000; ++k, now += milliseconds(1))
        for (; tokens.fill(now, rate); sent += chunk) tokens.spend(chunk);
    EXPECT_NEAR(static_cast<double>(sent), 10.0 * rate, chunk);
}

TEST(TokenBucketTest, an_idle_sender_saves_up_25_ms) {
    TokenBucket::Clock::time_point now{};
    TokenBucket tokens(now);
    ASSERT_TRUE(tokens.fill(now += std::chrono::seconds(10), 1000));
    tokens.spend(25);
    EXPECT_TRUE(tokens.fill(now, 1000));
    tokens.spend(1);
    EXPECT_FALSE(tokens.fill(now, 1000));
    EXPECT_EQ(tokens.time_to_fill(), milliseconds(1));
    EXPECT_TRUE(tokens.fill(now + milliseconds(1), 1000));
}

}  // namespace trellis::token_bucket_test
