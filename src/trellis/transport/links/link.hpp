// Links between sites: messages in both directions, each delivered exactly once, in the order of sending, over a
// wide-area network that may be slow and far, and that may break for a while.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trellis {

// Number by which the receiver selects messages. Messages of one tag keep their order.
using LinkTag = std::uint64_t;

// Traffic of a link since it was opened, in both directions.
struct LinkTraffic {
    std::uint64_t messages_sent = 0, messages_received = 0;
    std::uint64_t bytes_sent = 0, bytes_received = 0;  // contents of messages
    std::size_t streams = 0;                           // open now
    double round_trip = 0;                             // the shortest, in seconds; 0: not measured
    double rate = 0;                                   // bytes per second that it can send; 0: not measured
};

// One end of a link. All functions may be called by any thread. If the peer is lost, or silent for longer than the
// grace, they throw RunError with a message that names the site.
class Link {
  public:
    virtual ~Link() = default;

    // Queues a message. Waits while the messages to be sent exceed the link's memory.
    virtual void send(LinkTag tag, std::vector<std::byte> bytes) = 0;

    // True if send would return at once. Two sites that both wait in send block each other if neither takes messages: a
    // site that can take messages meanwhile sends only when there is room.
    virtual bool has_room() const = 0;

    // The next message of this tag, if it has arrived completely.
    virtual std::optional<std::vector<std::byte>> take(LinkTag tag) = 0;

    // True if take would return a message. Unlike an unsuccessful take, it does not allow the peer to send more than
    // the link's memory holds.
    virtual bool has(LinkTag tag) const = 0;

    // Waits for the next message of this tag.
    virtual std::vector<std::byte> receive(LinkTag tag) = 0;

    // Sends a close notice after all messages. The peer can still take messages that have arrived.
    virtual void close() = 0;

    // The name of the site at the other end.
    virtual const std::string& peer() const = 0;

    virtual LinkTraffic traffic() const = 0;
};

}  // namespace trellis
