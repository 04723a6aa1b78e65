// State of one link: its status, its send and receive queues, its open streams, and the liveness of the peer.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "trellis/transport/links/link.hpp"
#include "trellis/transport/links/wide_area/inbox.hpp"
#include "trellis/transport/links/wide_area/link_streams.hpp"
#include "trellis/transport/links/wide_area/outbox.hpp"
#include "trellis/transport/links/wide_area/pace.hpp"
#include "trellis/transport/links/wide_area/peer_liveness.hpp"
#include "trellis/transport/links/wide_area/token_bucket.hpp"

namespace trellis {

enum class LinkStatus {
    connecting,  // no stream is open, at the beginning or since the connection broke
    open,        // at least one stream is open
    closing,     // this side has sent its close notice, and waits until the peer has received everything
    closed,      // by this side
    peer_left,   // the peer has sent its close notice, and everything before it has arrived
    failed       // the peer is lost
};

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

    // Called by any thread; the first ones are Link's functions.
    void send(LinkTag tag, std::vector<std::byte> bytes);
    bool has_room() const;
    std::optional<std::vector<std::byte>> take(LinkTag tag);
    bool has(LinkTag tag) const;
    std::vector<std::byte> receive(LinkTag tag);
    void close();
    LinkTraffic traffic() const;
    const Facts& facts() const { return facts_; }
    // Closes all streams without a close notice to the peer.
    void abandon();
    // Waits until the peer has connected, until `end` at the latest. Returns whether it has. Throws RunError if the
    // link has failed.
    bool wait_for_peer(Clock::time_point end);

    // Called by the network's thread:
    // Adds a stream. received, granted: as the peer's handshake says. opened_here: this side has connected.
    void attach(std::shared_ptr<Stream> stream, std::uint64_t received, std::uint64_t granted, bool opened_here);
    // Sends questions, measures the rate, sets its limit; ends silent streams, and the link if its peer is lost.
    void tick(Clock::time_point now);
    // The link fails. why: a clause that follows the name of the site.
    void fail(const std::string& why);
    // True if the link needs no stream any more: it has failed, is closed, or the peer has left and closed its streams.
    bool over() const;
    // The number of further streams that this side is to open.
    std::size_t streams_missing() const;
    void note_round_trip(Clock::duration measured) { pace_.note_round_trip(measured); }
    PeerLiveness& liveness() { return liveness_; }

    std::optional<Outbox::Chunk> next_chunk(std::uint64_t stream) override;
    Numbers numbers() override;
    void on_header(const FrameHeader& header) override;
    void on_chunk(const FrameHeader& header, const ChunkHeader& chunk, std::span<const std::byte> data) override;
    void on_heartbeat(const HeartbeatBody& heartbeat) override;
    void stream_lost(std::uint64_t stream, const std::string& why, bool closed, bool broken_rules) override;

  private:
    bool ended() const;
    [[noreturn]] void throw_ended() const;
    void note_streams();
    void wake_streams();
    void report_room();
    void remove_stream(std::uint64_t stream);
    void note_acknowledged(Clock::time_point now);
    void measure(Clock::time_point now);
    void wait_for_tokens();
    void close_streams();

    const asio::any_io_executor executor_;
    const Facts facts_;

    mutable std::mutex mutex_;  // guards the members up to reported_room_
    std::condition_variable changed_;
    Outbox outbox_;
    Inbox inbox_;
    LinkTraffic traffic_;
    LinkStatus status_ = LinkStatus::connecting;
    std::string failure_;  // why the link has failed
    std::uint64_t reported_room_ = 0;

    std::atomic<bool> wake_posted_ = false, room_posted_ = false;

    // the network's thread alone
    LinkStreams streams_;
    std::uint64_t wanted_by_peer_ = 0;  // streams
    Pace pace_;
    TokenBucket tokens_;
    asio::steady_timer refill_;  // expires when bytes may be sent again
    PeerLiveness liveness_;
};

}  // namespace trellis
