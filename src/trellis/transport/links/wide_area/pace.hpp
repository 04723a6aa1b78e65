// How many streams a link needs, and how fast each may send: from the round trip and the rate that are measured.
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

    // window: bytes that one stream can have on their way.
    Pace(LinkChoice choice, std::uint64_t window) : choice_(std::move(choice)), window_(window) {}

    void note_round_trip(Clock::duration measured);
    // Until this time so many bytes in all have reached the peer; busy: more wait than the way takes. What is merely on
    // its way, as small messages that follow one another are, shows no rate.
    void note_delivered(Clock::time_point now, std::uint64_t bytes, bool busy);

    // clamp(ceil(1.5 rate round_trip / window), 1, most_streams); before a rate is measured, that of 1 Gbit/s counts.
    std::size_t streams() const;
    // Bytes a second of all streams together, so that no queue grows before the narrowest part of the way; 0: no limit,
    // as until the rate has been measured. From time to time it is measured anew, with a higher limit.
    std::uint64_t limit() const;

    // The shortest round trip; zero: not measured yet.
    Clock::duration round_trip() const { return round_trip_; }
    // Bytes a second; zero: not measured yet.
    double rate() const { return rate_; }

  private:
    struct Sample {
        Clock::time_point time;
        std::uint64_t bytes;
    };

    LinkChoice choice_;
    std::uint64_t window_;
    Clock::duration round_trip_{};
    std::deque<Sample> samples_;  // of the last two round trips
    std::optional<Clock::time_point> busy_since_;
    Clock::duration busy_{};  // in this phase
    bool measures_ = true;    // the phase: the rate is measured, or has been
    bool measured_before_ = false;
    double rate_ = 0, best_ = 0;  // best_: of this phase
};

}  // namespace trellis
