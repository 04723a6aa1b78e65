// Number of streams and rate limit of a link, from the measured round trip and rate.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "trellis/transport/links/open_links.hpp"

namespace trellis {

class Pace {
  public:
    using Clock = std::chrono::steady_clock;

    // window: bytes that one stream can have in flight.
    Pace(LinkChoice choice, std::uint64_t window) : choice_(std::move(choice)), window_(window) {}

    void note_round_trip(Clock::duration measured);
    // At time `now`, `bytes` bytes in all have reached the peer. busy: more bytes wait to be sent than the path takes;
    // otherwise the rate of the path cannot be measured.
    void note_delivered(Clock::time_point now, std::uint64_t bytes, bool busy);

    // clamp(ceil(1.5 rate round_trip / window), 1, most_streams); before a rate is measured, 1 Gbit/s is assumed.
    std::size_t streams() const;
    // Limit of the rate of all streams together in bytes per second, so that no queue grows in front of the bottleneck;
    // 0: no limit, as before the first measurement. After 20 s the rate is measured again, with a higher limit.
    std::uint64_t limit() const;

    // The shortest round trip; zero: not measured yet.
    Clock::duration round_trip() const { return round_trip_; }
    // Bytes per second; zero: not measured yet.
    double rate() const { return rate_; }

  private:
    struct Sample {
        Clock::time_point time;
        std::uint64_t bytes;
    };

    LinkChoice choice_;
    std::uint64_t window_;
    Clock::duration round_trip_{};
    std::deque<Sample> samples_;  // in the last two round trips
    std::optional<Clock::time_point> busy_since_;
    Clock::duration busy_{};  // time in this phase
    bool measures_ = true;    // the phase: the rate is being measured, or its limit is in use
    bool measured_before_ = false;
    double rate_ = 0, best_ = 0;  // best_: the highest in this phase
};

}  // namespace trellis
