// The open streams of a link.
#pragma once

#include <asio/any_io_executor.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "trellis/transport/links/wide_area/link_stream.hpp"

namespace trellis {

// Used by the network's thread alone.
class LinkStreams {
  public:
    using Clock = LinkStream::Clock;

    bool empty() const { return streams_.empty(); }
    std::size_t count() const { return streams_.size(); }
    // True if this side has opened the first of the present streams: it then opens the others as well.
    bool opened_here() const { return opened_here_; }

    // Starts one more stream. opened_here: this side has connected.
    void add(const asio::any_io_executor& executor, std::shared_ptr<Stream> stream, bool opened_here,
             std::shared_ptr<LinkStreamUser> user);
    // Closes a stream and removes it. Returns false if there is no stream of this number.
    bool remove(std::uint64_t number);
    void close_all();

    // There may be something to write on each stream.
    void wake_all();
    // The same on one stream that is not writing, the streams taking turns.
    void wake_next_idle();
    // Sends a heartbeat on one stream, or on all; asks: the site answers each.
    void send_heartbeat();
    void send_heartbeats(bool asks);
    // Limits the rate of all streams together, in bytes per second; 0: no limit.
    void limit_rate(std::uint64_t rate);

    // The numbers of the streams on which nothing has arrived for longer than `longest`.
    std::vector<std::uint64_t> silent(Clock::time_point now, Clock::duration longest) const;
    // Bytes that all streams, also those removed by now, have delivered to the site.
    std::uint64_t delivered();

  private:
    std::map<std::uint64_t, std::shared_ptr<LinkStream>> streams_;
    std::uint64_t last_number_ = 0, last_woken_ = 0;
    bool opened_here_ = false;
    std::uint64_t rate_of_each_ = 0;  // limit that the streams have; 0: none
    std::uint64_t delivered_ = 0;
};

}  // namespace trellis
