#include "trellis/transport/links/wide_area/peer_liveness.hpp"

#include <algorithm>

#include "trellis/transport/streams/deadline.hpp"

namespace trellis {

namespace {

using std::chrono::seconds;

constexpr seconds between_questions{1};
constexpr seconds longest_silence{6};
constexpr seconds longest_refused{6};  // no process listens at the site any more

}  // namespace

PeerLiveness::PeerLiveness(std::chrono::milliseconds grace, Clock::time_point now)
    : grace_(grace), last_question_(now), without_stream_since_(now) {}

void PeerLiveness::connected(Clock::time_point now) {
    last_received_ = now;
    refused_since_.reset();
}

void PeerLiveness::acknowledged(Clock::time_point now, std::uint64_t number, bool waiting) {
    if (!waiting)
        unacknowledged_since_.reset();
    else if (number > acknowledged_ || !unacknowledged_since_)
        unacknowledged_since_ = now;
    acknowledged_ = number;
}

void PeerLiveness::stream_silent(Clock::time_point now, bool last) {
    if (last) without_stream_since_ = now;
}

void PeerLiveness::stream_lost(Clock::time_point now, const std::string& why, bool closed, bool last) {
    last_failure_ = why;
    stream_silent(now, last);
    if (closed && last && !refused_since_) refused_since_ = now;
}

void PeerLiveness::attempt_failed(const std::string& why, bool refused) {
    last_failure_ = why;
    if (!refused) refused_since_.reset();
}

bool PeerLiveness::question_due(Clock::time_point now) {
    if (now - last_question_ < between_questions) return false;
    last_question_ = now;
    return true;
}

PeerLiveness::Clock::duration PeerLiveness::longest_stream_silence(Clock::duration round_trip) {
    return std::max<Clock::duration>(longest_silence, 8 * round_trip);
}

std::optional<std::string> PeerLiveness::loss(Clock::time_point now, bool has_stream) const {
    if (!last_received_) return std::nullopt;
    if (!has_stream && refused_since_ && now - *refused_since_ > longest_refused) return last_failure_;
    if (now - *last_received_ > grace_) return "silent for " + seconds_text(grace_) + ": " + last_failure_;
    if (unacknowledged_since_ && now - *unacknowledged_since_ > grace_)
        return "what is sent has not arrived there for " + seconds_text(grace_) + ": " + last_failure_;
    return std::nullopt;
}

}  // namespace trellis
