// Liveness of the site at the other end of a link: when one of its streams, and when the site itself, counts as lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace trellis {

// Used by the network's thread alone.
class PeerLiveness {
  public:
    using Clock = std::chrono::steady_clock;

    // grace: the longest silence of a site that is not yet lost, and the longest time without a new acknowledgement.
    PeerLiveness(std::chrono::milliseconds grace, Clock::time_point now);

    // A stream to the site has been opened.
    void connected(Clock::time_point now);
    // A frame of the site has arrived.
    void received(Clock::time_point now) { last_received_ = now; }
    // The site has acknowledged the chunks up to this number; waiting: it lacks chunks that were sent.
    void acknowledged(Clock::time_point now, std::uint64_t number, bool waiting);
    // A stream was ended by this side since nothing arrived on it. last: no other stream is open.
    void stream_silent(Clock::time_point now, bool last);
    // A stream was lost. closed: by the site's end, not by silence or an error of the network.
    void stream_lost(Clock::time_point now, const std::string& why, bool closed, bool last);
    // An attempt to connect has failed. refused: the site's machine has refused or closed the connection.
    void attempt_failed(const std::string& why, bool refused);

    // True, once a second, if the site is to be asked for a heartbeat.
    bool question_due(Clock::time_point now);
    // The longest silence of one stream: 6 s, or eight round trips if that is longer.
    static Clock::duration longest_stream_silence(Clock::duration round_trip);
    // The reason why the site counts as lost; empty if it does not. A site that has never connected is never lost.
    std::optional<std::string> loss(Clock::time_point now, bool has_stream) const;
    // The time at which the last stream was lost, or at which this object was made.
    Clock::time_point without_stream_since() const { return without_stream_since_; }

  private:
    const std::chrono::milliseconds grace_;
    std::optional<Clock::time_point> last_received_;  // empty: the site has not connected yet
    std::optional<Clock::time_point> unacknowledged_since_;
    std::uint64_t acknowledged_ = 0;                  // chunks
    std::optional<Clock::time_point> refused_since_;  // since then, connections were only closed and refused
    Clock::time_point last_question_, without_stream_since_;
    std::string last_failure_ = "no connection";
};

}  // namespace trellis
