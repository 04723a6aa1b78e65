#include "trellis/transport/links/wide_area/pace.hpp"

#include <algorithm>
#include <cmath>

namespace trellis {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr double first_rate = 125e6;  // bytes per second
constexpr double share = 0.92;        // limit over measured rate, which includes headers and repeated chunks
constexpr double higher = 1.25;       // limit over rate while the rate is measured again
constexpr std::chrono::milliseconds shortest_span{500};
constexpr int spans_of_measurement = 5;  // without growth
constexpr double still_growing = 1.03;
constexpr std::chrono::seconds longest_paced{20};

}  // namespace

void Pace::note_round_trip(Clock::duration measured) {
    if (measured <= Clock::duration::zero()) return;
    round_trip_ = round_trip_ == Clock::duration::zero() ? measured : std::min(round_trip_, measured);
}

// The bottleneck's rate is the highest rate of delivery over two round trips, if more bytes than that are sent.
void Pace::note_delivered(Clock::time_point now, std::uint64_t bytes, bool busy) {
    const auto span_wanted = std::max<Clock::duration>(shortest_span, 2 * round_trip_);
    if (!busy) {  // samples across a pause, or before the first answers, do not show the rate of the path
        samples_.clear();
        busy_since_.reset();
        if (measures_) busy_ = {};
        return;
    }
    if (!busy_since_) busy_since_ = now;
    if (now - *busy_since_ < round_trip_) return;
    if (!samples_.empty()) busy_ += now - samples_.back().time;
    samples_.push_back({now, bytes});
    while (samples_.size() > 2 && now - samples_[1].time >= span_wanted) samples_.pop_front();
    const Sample& first = samples_.front();
    if (measures_ && now - first.time >= span_wanted) {
        const double rate = static_cast<double>(bytes - first.bytes) / Seconds(now - first.time).count();
        if (rate > still_growing * best_) busy_ = {};
        best_ = std::max(best_, rate);
    }
    if (busy_ < (measures_ ? spans_of_measurement * span_wanted : longest_paced)) return;
    if (measures_) {
        rate_ = best_;
        measured_before_ = true;
    }
    measures_ = !measures_;
    best_ = 0;
    busy_ = {};
}

std::size_t Pace::streams() const {
    if (choice_.streams) return *choice_.streams;
    const double product = (rate_ > 0 ? rate_ : first_rate) * Seconds(round_trip_).count();
    const double wanted = std::ceil(1.5 * product / static_cast<double>(window_));
    return std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, most_streams);
}

std::uint64_t Pace::limit() const {
    if (choice_.pacing) return *choice_.pacing;
    if (!measures_) return static_cast<std::uint64_t>(share * rate_);
    return measured_before_ ? static_cast<std::uint64_t>(higher * std::max(rate_, best_)) : 0;
}

}  // namespace trellis
