// Send and receive queues of a link, with a network between them that loses streams and duplicates chunks.
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "trellis/transport/links/wide_area/inbox.hpp"
#include "trellis/transport/links/wide_area/outbox.hpp"
#include "unit/error_message.hpp"
#include "unit/transport/fuzzed_bytes.hpp"

namespace trellis::boxes_test {

using Bytes = std::vector<std::byte>;

constexpr std::uint32_t chunk_bytes = 100;
constexpr std::uint64_t memory = 20'000;

struct InFlight {
    std::uint64_t number;
    ChunkHeader header;
    Bytes data;
};

// Streams between an outbox and an inbox, each with chunks in flight.
class Network {
  public:
    Network(Outbox& outbox, Inbox& inbox, unsigned seed) : outbox_(outbox), inbox_(inbox), draw_(seed) {}

    // One event: a stream takes a chunk, delivers one, breaks, or acknowledges.
    void step() {
        const std::uint64_t stream = first_ + draw_.below(3);
        std::deque<InFlight>& carried = carried_[stream];
        switch (draw_.below(16)) {
            case 0:
                if (!draw_.one_in(8)) break;
                // a broken stream may have delivered chunks that are not acknowledged
                for (std::uint64_t left = draw_.below(4); left > 0 && !carried.empty(); --left) bring(carried);
                carried_.erase(stream);
                outbox_.lose(stream);
                break;
            case 1:
                outbox_.acknowledge(inbox_.received(), inbox_.granted());
                break;
            default:
                if (draw_.one_in(2)) {
                    if (const auto chunk = outbox_.next(stream))
                        carried.push_back({chunk->number, chunk->header, {chunk->data.begin(), chunk->data.end()}});
                } else if (!carried.empty()) {
                    bring(carried);
                }
        }
    }

  private:
    void bring(std::deque<InFlight>& carried) {
        inbox_.put(carried.front().number, carried.front().header, carried.front().data);
        carried.pop_front();
    }

    Outbox& outbox_;
    Inbox& inbox_;
    FuzzedBytes draw_;
    std::uint64_t first_ = 1;
    std::map<std::uint64_t, std::deque<InFlight>> carried_;
};

TEST(BoxesTest, every_message_comes_once_and_those_of_a_tag_in_order) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        Outbox outbox(chunk_bytes, memory);
        Inbox inbox(memory);
        outbox.acknowledge(0, inbox.granted());
        Network network(outbox, inbox, seed);
        FuzzedBytes draw(seed);
        std::map<LinkTag, std::deque<Bytes>> sent;
        std::size_t given = 0, taken = 0;
        for (int k = 0; taken < 500 && k < 1'000'000; ++k) {
            if (given < 500 && draw.one_in(4) && outbox.has_room()) {
                const LinkTag tag = draw.below(5);
                sent[tag].push_back(draw.bytes(draw.one_in(4) ? draw.below(5000) : draw.below(120)));
                outbox.add(tag, sent[tag].back());
                ++given;
            }
            network.step();
            const LinkTag tag = draw.below(5);
            if (const auto got = inbox.take(tag)) {
                ASSERT_FALSE(sent[tag].empty());
                ASSERT_EQ(*got, sent[tag].front());
                sent[tag].pop_front();
                ++taken;
            }
        }
        EXPECT_EQ(taken, 500U) << "seed " << seed;
        outbox.acknowledge(inbox.received(), inbox.granted());
        EXPECT_TRUE(outbox.empty());
    }
}

// Delivers all chunks that the outbox gives; returns their number.
int carry_all(Outbox& outbox, Inbox& inbox) {
    int count = 0;
    for (; const auto chunk = outbox.next(1); ++count) inbox.put(chunk->number, chunk->header, chunk->data);
    outbox.acknowledge(inbox.received(), inbox.granted());
    return count;
}

TEST(BoxesTest, messages_not_taken_stay_within_the_memory_unless_a_caller_waits) {
    Outbox outbox(chunk_bytes, 100 * memory);
    Inbox inbox(memory);
    outbox.acknowledge(0, inbox.granted());
    for (int k = 0; k < 1000; ++k) outbox.add(1, Bytes(chunk_bytes));
    outbox.add(2, Bytes(1));
    const int fit = static_cast<int>(memory / cost_of(chunk_bytes));
    EXPECT_EQ(carry_all(outbox, inbox), fit);
    EXPECT_EQ(carry_all(outbox, inbox), 0);
    ASSERT_TRUE(inbox.take(1));  // makes room for another one
    outbox.acknowledge(inbox.received(), inbox.granted());
    EXPECT_EQ(carry_all(outbox, inbox), 1);
    EXPECT_FALSE(inbox.take(2));  // the last message arrives after all others
    inbox.begin_wait();
    outbox.acknowledge(inbox.received(), inbox.granted());
    while (carry_all(outbox, inbox) > 0) {
    }
    inbox.end_wait();
    EXPECT_TRUE(inbox.take(2));
}

TEST(BoxesTest, messages_to_be_sent_have_a_limit) {
    Outbox outbox(chunk_bytes, memory);
    int added = 0;
    for (; outbox.has_room(); ++added) outbox.add(1, Bytes(chunk_bytes));
    EXPECT_EQ(added, static_cast<int>(memory / cost_of(chunk_bytes)) + 1);
}

TEST(BoxesTest, a_peer_that_breaks_the_rules_is_found) {
    const Bytes some(50);
    const auto says = [&](std::uint64_t number, ChunkHeader header, const Bytes& data) {
        Inbox inbox(memory);
        inbox.put(1, {1, 0, 7, 100, 0}, some);
        return message_of<TransportError>([&] { inbox.put(number, header, data); });
    };
    EXPECT_EQ(says(2, {1, 0, 7, 100, 50}, some), "");
    EXPECT_EQ(says(1, {9, 9, 9, 9, 9}, some), "");  // it has arrived before
    EXPECT_EQ(says(0, {1, 0, 7, 100, 50}, some), "a chunk has no number");
    EXPECT_EQ(says(2, {1, 0, 8, 100, 50}, some), "two chunks of a message have different headers");
    EXPECT_EQ(says(2, {1, 0, 7, 100, 60}, some), "a chunk lies outside of its message");
    EXPECT_EQ(says(2, {1, 0, 7, 100, 50}, {}), "a chunk lies outside of its message");
    EXPECT_EQ(says(2, {2, 0, 7, ~0ULL, 1ULL << 60}, some), "a chunk lies outside of its message");
    EXPECT_EQ(says(2, {0, 0, 7, 50, 0}, some), "a chunk has an impossible number");
    EXPECT_EQ(says(2, {3, 0, 7, 50, 0}, some), "a chunk has an impossible number");
    EXPECT_EQ(says(2, {2, 2, 7, 50, 0}, some), "a chunk has an impossible number");
    EXPECT_EQ(says(2, {2, 0, 7, memory, 0}, Bytes(memory)), "it sends more bytes than it was granted");
    Outbox outbox(chunk_bytes, memory);
    EXPECT_EQ(message_of<TransportError>([&] { outbox.acknowledge(1, 0); }),
              "it acknowledges chunks that were never sent");
}

}  // namespace trellis::boxes_test
