// Receive queue of a link: assembles messages from chunks, which may arrive in any order and twice, and gives them out
// by tag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "trellis/transport/links/wide_area/chunk.hpp"

namespace trellis {

class Inbox {
  public:
    // memory: bytes that the peer may send before messages are taken. It may send more only while a caller waits for a
    // message that has not arrived.
    explicit Inbox(std::uint64_t memory) : memory_(memory), granted_(memory) {}

    // Stores a chunk; one that has arrived before is ignored. Throws TransportError if it breaks the rules.
    void put(std::uint64_t number, const ChunkHeader& header, std::span<const std::byte> data);
    // Stores the close notice, which is the last message of the peer.
    void put_close(std::uint64_t number, const ChunkHeader& header);

    // The next message of a tag, if it has arrived.
    std::optional<std::vector<std::byte>> take(LinkTag tag);
    bool has(LinkTag tag) const { return ready_.contains(tag); }
    // A caller begins, or ends, to wait for a message.
    void begin_wait();
    void end_wait() { --waiting_; }

    // All chunks up to this number have arrived.
    std::uint64_t received() const { return received_; }
    // The bytes that the peer may send in all, as cost_of counts them.
    std::uint64_t granted() const { return granted_; }
    // True if everything has arrived that the peer sent before its close notice.
    bool complete() const { return close_notice_ != 0 && received_ >= close_notice_; }

  private:
    struct Message {
        ChunkHeader header;
        std::vector<std::byte> bytes;
        std::uint64_t arrived = 0;  // bytes
        std::uint64_t cost = 0;     // cost_of its chunks
    };
    struct Ready {
        std::vector<std::byte> bytes;
        std::uint64_t cost;
    };

    bool note(std::uint64_t number, const ChunkHeader& header, std::uint64_t bytes);
    void check(const Message& message, const ChunkHeader& header, std::uint64_t bytes) const;
    void finish(std::uint64_t number);
    bool finished(std::uint64_t message) const { return message <= finished_ || finished_ahead_.contains(message); }
    void grant();

    const std::uint64_t memory_;
    std::uint64_t received_ = 0;
    std::set<std::uint64_t> received_ahead_;  // chunks beyond received_
    std::uint64_t finished_ = 0;              // all messages up to this one are ready, or have been taken
    std::set<std::uint64_t> finished_ahead_;
    std::map<std::uint64_t, Message> partial_;       // by number: incomplete, or waiting for the message before
    std::map<std::uint64_t, std::uint64_t> behind_;  // complete messages, by the message for which they wait
    std::map<LinkTag, std::deque<Ready>> ready_;
    std::uint64_t granted_, arrived_ = 0, taken_ = 0;
    std::uint64_t close_notice_ = 0;  // number of its chunk; 0: not arrived
    int waiting_ = 0;                 // callers
    bool missed_ = false;             // the last take found nothing
};

}  // namespace trellis
