// Links between sites: messages in both directions, each taken exactly once, in the order in which they were sent,
// through a wide-area network that may be slow, far, and broken for a while.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trellis {

// What a message is for: its receiver finds it by this number. Messages of one tag keep their order.
using LinkTag = std::uint64_t;

// What a link has carried, since it was opened, in both directions.
struct LinkTraffic {
    std::uint64_t messages_sent = 0, messages_received = 0;
    std::uint64_t bytes_sent = 0, bytes_received = 0;  // of messages' contents
    std::size_t streams = 0;                           // at this moment
    double round_trip = 0;                             // the shortest, in seconds; 0: not measured
    double rate = 0;                                   // bytes a second that it can send; 0: not measured
};

// One end of a link. All functions may be called by any thread. A link whose peer is dead, or silent for longer than
// the grace, throws RunError with a sentence that names the site.
class Link {
  public:
    virtual ~Link() = default;

    // Returns at once, except if more than the link's memory waits to be sent: then as soon as there is room.
    virtual void send(LinkTag tag, std::vector<std::byte> bytes) = 0;

    // Whether send would return at once. Two sites that both send wait for each other if neither takes what has come:
    // a site that can take meanwhile sends only when there is room.
    virtual bool has_room() const = 0;

    // The next message of this tag, if it has come completely.
    virtual std::optional<std::vector<std::byte>> take(LinkTag tag) = 0;

    // Whether take has one. Unlike a take in vain it lets the peer send no more than the link's memory holds.
    virtual bool has(LinkTag tag) const = 0;

    // Waits for the next message of this tag.
    virtual std::vector<std::byte> receive(LinkTag tag) = 0;

    // Tells the peer that this side goes, once all has been sent; the peer's calls then throw only for what never came.
    virtual void close() = 0;

    // The name of the site at the other end.
    virtual const std::string& peer() const = 0;

    virtual LinkTraffic traffic() const = 0;
};

}  // namespace trellis
