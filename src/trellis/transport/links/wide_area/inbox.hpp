// The messages that come: put together from chunks, which arrive in any order and perhaps twice, and given out by tag.
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
    // memory: bytes that may have come, or be on their way, before somebody takes messages. More may come only while
    // somebody waits for a message that is not there.
    explicit Inbox(std::uint64_t memory) : memory_(memory), granted_(memory) {}

    // A chunk has come. Nothing happens if it has come before. Throws TransportError if it breaks the rules.
    void put(std::uint64_t number, const ChunkHeader& header, std::span<const std::byte> data);
    // The last message has come: no others will.
    void put_close(std::uint64_t number, const ChunkHeader& header);

    // The next message of a tag, if it is there.
    std::optional<std::vector<std::byte>> take(LinkTag tag);
    bool has(LinkTag tag) const { return ready_.contains(tag); }
    // Somebody begins, and ends, to wait for a message.
    void begin_wait();
    void end_wait() { --waiting_; }

    // All chunks up to this number have come.
    std::uint64_t received() const { return received_; }
    // The bytes that the peer may send in all, as cost_of counts them.
    std::uint64_t granted() const { return granted_; }
    // Everything that the peer sent has come, and it will send no more.
    bool complete() const { return close_notice_ != 0 && received_ >= close_notice_; }

  private:
    struct Message {
        ChunkHeader header;
        std::vector<std::byte> bytes;
        std::uint64_t arrived = 0;  // of its bytes
        std::uint64_t cost = 0;     // of its chunks
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
    std::set<std::uint64_t> received_ahead_;  // chunks beyond
    std::uint64_t finished_ = 0;              // all messages up to this one are ready, or have been taken
    std::set<std::uint64_t> finished_ahead_;
    std::map<std::uint64_t, Message> partial_;       // by number: those that are not complete, or wait for another
    std::map<std::uint64_t, std::uint64_t> behind_;  // complete messages by the number of that for which they wait
    std::map<LinkTag, std::deque<Ready>> ready_;
    std::uint64_t granted_, arrived_ = 0, taken_ = 0;
    std::uint64_t close_notice_ = 0;
    int waiting_ = 0;
    bool missed_ = false;  // the last take found nothing
};

}  // namespace trellis
