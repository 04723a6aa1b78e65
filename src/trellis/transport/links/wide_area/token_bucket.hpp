// A token bucket: limits the rate of a sender to a given number of bytes per second.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace trellis {

class TokenBucket {
  public:
    using Clock = std::chrono::steady_clock;

    explicit TokenBucket(Clock::time_point now) : filled_(now) {}

    // Adds the tokens of the time since the last call, at `rate` bytes per second; 0: no limit. Returns whether bytes
    // may be sent now. An idle sender saves up tokens of 25 ms at most.
    bool fill(Clock::time_point now, std::uint64_t rate) {
        constexpr double longest_saved = 0.025;  // seconds
        rate_ = static_cast<double>(rate);
        const double seconds = std::chrono::duration<double>(now - std::exchange(filled_, now)).count();
        bytes_ = rate == 0 ? 0 : std::min(bytes_ + rate_ * seconds, rate_ * longest_saved);
        return bytes_ >= 0;
    }

    // Removes the tokens of `bytes` that are sent now; the bucket may become negative.
    void spend(std::uint64_t bytes) { bytes_ -= static_cast<double>(bytes); }

    // The time until bytes may be sent again, at the last rate.
    Clock::duration time_to_fill() const {
        const std::chrono::duration<double> seconds(-bytes_ / std::max(rate_, 1.0));
        return std::chrono::duration_cast<Clock::duration>(seconds);
    }

  private:
    double rate_ = 0;   // bytes per second
    double bytes_ = 0;  // that may be sent; negative: sent in advance
    Clock::time_point filled_;
};

}  // namespace trellis
