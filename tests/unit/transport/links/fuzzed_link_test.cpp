// Mutated handshakes of sites and mutated frames of links: each is accepted, or ends with one message.
// TRELLIS_FUZZED_FRAMES: number of each, instead of ten thousand.
#include <gtest/gtest.h>

#include "trellis/transport/links/wide_area/link_state.hpp"
#include "unit/transport/fuzzed_bytes.hpp"
#include "unit/transport/links/raw_site.hpp"

namespace trellis::fuzzed_link_test {

using Bytes = std::vector<std::byte>;

constexpr std::uint64_t memory = 1 << 20;

TEST(FuzzedLinkTest, before_the_welcome) {
    FuzzedBytes draw(1);
    asio::io_context io;
    int understood = 0, refused = 0;
    const SiteHello hello{"a:1 b:1", 1, 0, random_session_key(), random_session_key(), 7, memory};
    const Bytes good = encoded_hello(hello);
    for (int k = 0; k < fuzzed_frames(); ++k) {
        Bytes sent = draw.one_in(4) ? draw.bytes(draw.below(300)) : good;
        if (draw.one_in(4)) sent.resize(frame_header_bytes + draw.below(good.size()));
        if (draw.one_in(2)) {  // a mutated body with a correct header
            Bytes body(good.begin() + frame_header_bytes, good.end());
            draw.mutate(body);
            FrameHeader header;
            header.type = FrameType::hello;
            header.body_bytes = static_cast<std::uint32_t>(body.size());
            const EncodedHeader first = encode(header);
            sent.assign(first.begin(), first.end());
            sent.insert(sent.end(), body.begin(), body.end());
        } else if (draw.one_in(2)) {
            draw.mutate(sent);
        }
        MemoryStream stream(sent);
        try {
            carried_out(io, receive_site_hello(stream));
            ++understood;
        } catch (const std::exception&) {
            ++refused;
        }
    }
    EXPECT_GT(understood, fuzzed_frames() / 20);
    EXPECT_GT(refused, fuzzed_frames() / 4);
}

// Frames as a peer sends them, with numbers that are sometimes wrong.
class Peer {
  public:
    explicit Peer(unsigned seed) : draw_(seed) {}

    Bytes frame(std::uint64_t request) {
        FrameHeader header;
        header.type = draw_.one_in(32) ? static_cast<FrameType>(draw_.below(12)) : FrameType::chunk;
        header.request = number(request);
        header.received = number(0);
        header.consumed = number(memory);
        Bytes data = draw_.bytes(draw_.below(300));
        ChunkHeader chunk{number(request), number(0), draw_.below(3), number(data.size()), number(0)};
        Bytes body = draw_.one_in(32) ? body_of(HeartbeatBody{number(3), 5, 7}) : body_of(chunk);
        if (draw_.one_in(64)) draw_.mutate(body);
        header.body_bytes = static_cast<std::uint32_t>(body.size());
        header.data_bytes = data.size();
        const EncodedHeader first = encode(header);
        Bytes all(first.begin(), first.end());
        all.insert(all.end(), body.begin(), body.end());
        all.insert(all.end(), data.begin(), data.end());
        if (draw_.one_in(64)) draw_.mutate(all);
        return all;
    }
    int frames() { return 1 + static_cast<int>(draw_.below(40)); }

  private:
    std::uint64_t number(std::uint64_t right) {
        if (!draw_.one_in(64)) return right;
        constexpr std::uint64_t edges[] = {0, 1, 255, memory, 1ULL << 32, 1ULL << 63, ~0ULL};
        return edges[draw_.below(std::size(edges))];
    }
    FuzzedBytes draw_;
};

TEST(FuzzedLinkTest, after_the_welcome) {
    Peer peer(2);
    asio::io_context io;
    std::size_t messages = 0, ended = 0;
    for (int sent = 0; sent < fuzzed_frames();) {
        Bytes all;
        for (int request = 1, left = peer.frames(); left > 0; ++request, --left, ++sent) {
            const Bytes next = peer.frame(static_cast<std::uint64_t>(request));
            all.insert(all.end(), next.begin(), next.end());
        }
        const auto link = std::make_shared<LinkState>(
            io.get_executor(), LinkState::Facts{"there", std::chrono::seconds(1), 2 * memory, {}});
        link->attach(std::make_shared<MemoryStream>(all), 0, memory, false);
        io.restart();
        io.run();
        try {
            for (LinkTag tag = 0; tag < 3; ++tag)
                while (link->take(tag)) ++messages;
        } catch (const RunError& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with("the site there ")) << error.what();
            ++ended;
        }
    }
    EXPECT_GT(messages, static_cast<std::size_t>(fuzzed_frames() / 20));
    EXPECT_GT(ended, 10U);
}

}  // namespace trellis::fuzzed_link_test
