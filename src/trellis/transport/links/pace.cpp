#include "trellis/transport/links/pace.hpp"

#include <algorithm>
#include <cmath>

namespace trellis {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr double first_rate = 125e6;  // bytes a second
constexpr double share = 0.9;
constexpr auto longest_paced = std::chrono::seconds(60);

}  // namespace

void Pace::note_round_trip(Clock::duration measured) {
    if (measured <= Clock::duration::zero()) return;
    round_trip_ = round_trip_ == Clock::duration::zero() ? measured : std::min(round_trip_, measured);
}

// Over which a rate is measured: long enough for what comes in bursts.
Pace::Clock::duration Pace::shortest_span() const {
    return std::max<Clock::duration>(std::chrono::seconds(1), 4 * round_trip_);
}

void Pace::note_arrived(Clock::time_point now, std::uint64_t bytes, bool busy) {
    if (!busy) {
        samples_.clear();
        return;
    }
    if (!samples_.empty()) busy_ += now - samples_.back().time;
    samples_.push_back({now, bytes});
    while (samples_.size() > 2 && now - samples_[1].time >= shortest_span()) samples_.pop_front();
    const Clock::duration span = now - samples_.front().time;
    if (measures_ && span >= shortest_span()) {
        best_ = std::max(best_, static_cast<double>(bytes - samples_.front().bytes) / Seconds(span).count());
        rate_ = std::max(rate_, best_);
    }
    const bool over = measures_ ? best_ > 0 && busy_ >= 4 * shortest_span() : busy_ >= longest_paced;
    if (!over) return;
    if (measures_) rate_ = best_;
    measures_ = !measures_;
    best_ = 0;
    busy_ = {};
    samples_.clear();
}

std::size_t Pace::streams() const {
    if (choice_.streams) return *choice_.streams;
    const double product = (rate_ > 0 ? rate_ : first_rate) * Seconds(round_trip_).count();
    const double wanted = std::ceil(1.5 * product / static_cast<double>(window_));
    return std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, most_streams);
}

std::uint64_t Pace::limit() const {
    if (choice_.pacing) return *choice_.pacing;
    return measures_ ? 0 : static_cast<std::uint64_t>(share * rate_);
}

}  // namespace trellis
