// What becomes of a link: its messages, the streams that it has at this moment, and whether its peer lives.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "trellis/transport/links/link.hpp"
#include "trellis/transport/links/wide_area/inbox.hpp"
#include "trellis/transport/links/wide_area/link_stream.hpp"
#include "trellis/transport/links/wide_area/outbox.hpp"
#include "trellis/transport/links/wide_area/pace.hpp"

namespace trellis {

class LinkState : public LinkStreamUser, public std::enable_shared_from_this<LinkState> {
  public:
    using Clock = LinkStream::Clock;
    struct Facts {
        std::string peer;  // the name of the other site
        std::chrono::milliseconds grace;
        std::uint64_t memory;
        LinkChoice choice;
    };

    LinkState(asio::any_io_executor executor, Facts facts);

    // Any thread: as Link's functions.
    void send(LinkTag tag, std::vector<std::byte> bytes);
    bool has_room() const;
    std::optional<std::vector<std::byte>> take(LinkTag tag);
    bool has(LinkTag tag) const;
    std::vector<std::byte> receive(LinkTag tag);
    void close();
    LinkTraffic traffic() const;
    const Facts& facts() const { return facts_; }
    // Ends all streams; the peer is not told.
    void abandon();
    // Waits until there is a stream, or the time has come; returns whether there is. Throws as receive does.
    bool wait_for_stream(Clock::time_point end);

    // The network's thread:
    // Goes on over one more stream. opened_here: this side has connected.
    void attach(std::shared_ptr<Stream> stream, std::uint64_t received, std::uint64_t granted, bool opened_here);
    // Asks, measures, paces; ends streams on which nothing is heard, and the link when its time is over.
    void tick(Clock::time_point now);
    // The link fails with this sentence, behind the name of the site.
    void fail(const std::string& why);
    // Nothing more will be: it has failed, the peer has left, or this side has.
    bool over() const;
    // So many more streams are wanted, if this side is the one that opens them.
    std::size_t streams_missing() const;
    void note_round_trip(Clock::duration measured) { pace_.note_round_trip(measured); }
    // Attempts to connect have failed: by a refusal, or by silence.
    void note_attempt(const std::string& why, bool refused);
    Clock::time_point without_stream_since() const { return without_stream_; }
    bool has_stream() const { return !streams_.empty(); }

    std::optional<Outbox::Chunk> next_chunk(std::uint64_t stream) override;
    Numbers numbers() override;
    void note(const FrameHeader& header) override;
    void on_chunk(const FrameHeader& header, const ChunkHeader& chunk, std::span<const std::byte> data) override;
    void on_heartbeat(const HeartbeatBody& heartbeat) override;
    void stream_lost(std::uint64_t stream, const std::string& why, bool closed, bool broken_rules) override;

  private:
    void check_alive() const;
    [[noreturn]] void throw_over() const;
    void wake_streams();
    void report_room();
    void lose(std::uint64_t stream, Clock::time_point now);
    void set_pace();
    bool has_allowance();
    void wait_for_allowance();
    void wake_idle();
    void end_streams();

    const asio::any_io_executor executor_;
    const Facts facts_;

    mutable std::mutex mutex_;  // of these:
    std::condition_variable changed_;
    Outbox outbox_;
    Inbox inbox_;
    LinkTraffic traffic_;
    std::string why_lost_;  // empty: it lives
    bool closed_ = false;   // by this side
    bool has_streams_ = false;
    std::uint64_t reported_room_ = 0;

    std::atomic<bool> wake_posted_ = false, room_posted_ = false;

    // the network's thread alone
    std::map<std::uint64_t, std::shared_ptr<LinkStream>> streams_;
    std::uint64_t last_stream_ = 0;
    bool opens_ = false;  // the first of the present streams was opened here
    std::uint64_t wanted_by_peer_ = 0;
    std::uint64_t delivered_ = 0;  // bytes, by all streams
    Pace pace_;
    std::uint64_t limit_set_ = 0;  // of pacing, for each stream
    double allowance_ = 0;         // bytes that may be sent at once; of all streams
    Clock::time_point refilled_ = Clock::now();
    asio::steady_timer refill_;        // until there is an allowance again
    std::uint64_t last_refilled_ = 0;  // the stream that had it last
    Clock::time_point heard_ = Clock::now(), asked_ = Clock::now(), without_stream_ = Clock::now();
    std::optional<Clock::time_point> refused_since_;  // since then nothing but closed and refused connections
    std::string last_failure_ = "no connection";
};

}  // namespace trellis
