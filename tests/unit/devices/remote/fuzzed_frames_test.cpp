// Frames of random bytes and mutated frames, before and after the welcome, over a Unix socket and with TLS, and
// handshakes of TLS: the server survives, and serves another client meanwhile. TRELLIS_FUZZED_FRAMES: number of each,
// instead of ten thousand.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "trellis/devices/known_kernels.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/transport/keys/known_keys.hpp"
#include "unit/devices/remote/raw_client.hpp"
#include "unit/devices/remote/running_server.hpp"
#include "unit/forces/run_time/graphs/written_graph.hpp"
#include "unit/transport/fuzzed_bytes.hpp"

namespace trellis::fuzzed_frames_test {

using Bytes = std::vector<std::byte>;

constexpr std::size_t look_constants = 24;

// A kernel that reads its arguments and does not trust them, as those of forces do.
void look(const KernelCall& call) {
    unsigned sum = 0;
    for (const std::byte byte : call.constants) sum += std::to_integer<unsigned>(byte);
    for (const std::byte* memory : call.memory) sum += memory == nullptr ? 1 : 0;
    if (sum % 64 == 63) throw std::runtime_error("63 of 64");
}

// Draws random frames; the same seed gives the same frames.
class Fuzz : public FuzzedBytes {
  public:
    using FuzzedBytes::FuzzedBytes;

    // A first frame of a client.
    Bytes handshake() {
        if (one_in(4)) return bytes(below(200));
        ByteWriter body;
        for (const char* text : {"0.1.0", "a client"}) body.put_counted(std::span(text, std::strlen(text)));
        body.put(SessionKey{});
        body.put(std::uint64_t{0});
        body.put(std::int64_t{0});
        Bytes written = body.take();
        if (one_in(2)) mutate(written);
        FrameHeader header;
        header.type = one_in(8) ? type() : FrameType::hello;
        Bytes frame = encoded(header, written, one_in(16) ? bytes(below(100)) : Bytes());
        if (one_in(2)) mutate(frame);
        return frame;
    }
    // A frame of a session with device 1, its queues 1 and 2 and its memory 1 and 2, of 4096 bytes each.
    Bytes frame(std::uint64_t request) {
        FrameHeader header;
        header.type = one_in(64) ? type() : FrameType::calls;
        header.device = one_in(64) ? static_cast<std::uint32_t>(number()) : 1;
        header.request = one_in(64) ? number() : request;
        header.received = one_in(64) ? number() : 0;
        header.consumed = one_in(64) ? number() : 0;
        header.flags = static_cast<std::uint16_t>(below(4));
        ByteWriter body;
        std::uint64_t data = 0;
        for (std::uint64_t left = below(6); left > 0; --left) wire::put(body, call(data));
        Bytes written = body.take();
        if (one_in(16)) mutate(written);
        if (one_in(64)) written = bytes(below(300));
        Bytes all = encoded(header, written, bytes(one_in(32) ? below(5000) : data));
        if (one_in(64)) mutate(all);
        return all;
    }

  private:
    FrameType type() { return static_cast<FrameType>(below(10)); }
    // Mostly small, sometimes at an edge.
    std::uint64_t number() {
        constexpr std::uint64_t edges[] = {0,          4095,
                                           4096,       4097,
                                           1U << 20,   std::numeric_limits<std::uint32_t>::max(),
                                           1ULL << 63, std::numeric_limits<std::uint64_t>::max()};
        return one_in(4) ? edges[below(std::size(edges))] : below(100);
    }
    std::uint64_t known() { return one_in(64) ? number() : 1 + below(2); }
    std::uint64_t size() { return one_in(64) ? number() : below(2000); }

    Bytes graph() {
        Bytes written = in_precision(graph_of_everything(one_in(2)), sizeof(float));
        if (!one_in(4)) mutate(written);
        return one_in(16) ? bytes(below(300)) : written;
    }

    wire::Call call(std::uint64_t& data) {
        const auto queue = static_cast<std::uint32_t>(known());
        switch (below(32)) {
            case 0:
                return wire::OpenDevice{one_in(2) ? "cpu" : "cuda:0", number()};
            case 1:
                return one_in(8) ? wire::Call(wire::CloseDevice{}) : wire::Call(wire::ListDevices{});
            case 2:
                return wire::MakeQueue{static_cast<std::uint32_t>(number())};
            case 3:
                return wire::EndQueue{one_in(4) ? queue : static_cast<std::uint32_t>(number())};
            case 4:
                return wire::Allocate{number(), number()};
            case 5:
                return wire::Release{one_in(4) ? known() : number()};
            case 6:  // the device fails, so that later calls are not carried out
                return one_in(16) ? wire::Call(wire::MakeKernel{"made", graph()}) : wire::Notify{queue};
            default:
                break;
        }
        switch (below(6)) {
            case 5: {
                const std::uint64_t packed = size();
                if (packed < 5000) data += packed;
                const std::uint32_t values = one_in(16) ? static_cast<std::uint32_t>(number()) : 8;
                return wire::UploadDelta{queue,
                                         known(),
                                         32 * below(20),
                                         one_in(2) ? packed : 32 * below(20),
                                         packed,
                                         one_in(16) ? static_cast<std::uint32_t>(below(9)) : 4,
                                         values,
                                         static_cast<std::uint32_t>(below(5)),
                                         static_cast<std::uint32_t>(below(4))};
            }
            case 0: {
                const std::uint64_t bytes = size();
                if (bytes < 5000) data += bytes;
                return wire::Upload{queue, known(), size(), bytes};
            }
            case 1:
                return wire::Download{queue, known(), size(), size()};
            case 2:
                return wire::Launch{queue,
                                    one_in(16) ? "no such kernel" : "look",
                                    bytes(one_in(256) ? below(40) : look_constants),
                                    {known(), 0}};
            case 3:
                return wire::After{queue, static_cast<std::uint32_t>(known()), one_in(8) ? number() : 0};
            default:
                return wire::Notify{queue};
        }
    }
};

class FuzzedFramesTest : public testing::Test {
  protected:
    FuzzedFramesTest() {
        register_kernel(DeviceKind::cpu, "look", look,
                        {look_constants, 2, [](std::span<const std::byte>, std::span<MemoryUse>) {}});
        server_.server().listen_unix(keys_.socket());
        endpoint_ = {asio::ip::make_address("127.0.0.1"), server_.server().listen_tls("127.0.0.1", 0)};
        server_.start();
        trust(endpoint_);
        KnownKeys(keys_.path(), KnownKeys::List::allowed).add({"here", Server::fingerprint()});
        other_ = open_device(unix_ + "/cpu", 1 << 20);
    }
    static std::string host(const Tcp::endpoint& server) { return "127.0.0.1:" + std::to_string(server.port()); }
    void trust(const Tcp::endpoint& server) const {
        KnownKeys(keys_.path(), KnownKeys::List::trusted).add({host(server), Server::fingerprint()});
    }
    // The bytes that a client sends with a correct handshake.
    std::vector<std::byte> handshake() const {
        Relay<Tcp> relay(Tcp::endpoint(endpoint_.address(), 0), endpoint_);
        trust(relay.endpoint());
        open_device("trellis://" + host(relay.endpoint()) + "/cpu", 1 << 20);
        const std::vector<char> sent = relay.sent_by_clients();
        const auto bytes = std::as_bytes(std::span(sent));
        return {bytes.begin(), bytes.end()};
    }
    // Another client writes and reads.
    void expect_served() const {
        const DeviceMemory memory(other_, 4096);
        const auto queue = other_->make_queue();
        const std::vector<int> values(1024, 7);
        std::vector<int> back(1024);
        queue->upload(memory, 0, std::as_bytes(std::span(values)));
        queue->download(memory, 0, std::as_writable_bytes(std::span(back)));
        queue->wait();
        ASSERT_EQ(back, values);
    }
    void handshake(const std::string& server, int frames) {
        const std::size_t refused = server_.refused(), opened = server_.logged("opened").size();
        Fuzz fuzz(1);
        for (int k = 0; k < frames; ++k) {
            RawClient client(server);
            client.write(fuzz.handshake());
            client.drain();
            if (k % 500 == 0) expect_served();
        }
        expect_served();
        EXPECT_GT(server_.refused(refused + static_cast<std::size_t>(frames / 2) + 1) - refused,
                  static_cast<std::size_t>(frames / 2));
        EXPECT_GT(server_.logged("opened").size() - opened, static_cast<std::size_t>(frames / 20));
    }
    void call(const std::string& server, int frames) const {
        Fuzz fuzz(2);
        const auto setup = body_of({wire::OpenDevice{"cpu", 1 << 20}, wire::MakeQueue{1}, wire::MakeQueue{2},
                                    wire::Allocate{1, 4096}, wire::Allocate{2, 4096}});
        for (int sent = 0, sessions = 0; sent < frames; ++sessions) {
            RawClient client(server);
            client.grace = 0;
            client.handshake();
            client.send(1, setup);
            for (std::uint64_t request = 2; request < 30 && client.write(fuzz.frame(request)); ++request) ++sent;
            client.drain();
            if (sessions % 50 == 0) expect_served();
        }
        expect_served();
    }

    KeysFolder keys_;
    const std::string unix_ = "unix:" + keys_.socket();
    Tcp::endpoint endpoint_;
    RunningServer server_;
    std::shared_ptr<Device> other_;
};

TEST_F(FuzzedFramesTest, before_the_welcome) { handshake(unix_, fuzzed_frames()); }

TEST_F(FuzzedFramesTest, after_the_welcome) { call(unix_, fuzzed_frames()); }

// A handshake takes as long as a hundred frames.
TEST_F(FuzzedFramesTest, before_the_welcome_with_tls) {
    handshake("trellis://" + host(endpoint_), fuzzed_frames() / 100);
}

TEST_F(FuzzedFramesTest, after_the_welcome_with_tls) { call("trellis://" + host(endpoint_), fuzzed_frames()); }

TEST_F(FuzzedFramesTest, handshakes) {
    const std::vector<std::byte> recorded = handshake();
    Fuzz fuzz(3);
    asio::io_context io;
    for (int k = 0; k < fuzzed_frames(); ++k) {
        auto sent = fuzz.one_in(8) ? fuzz.bytes(fuzz.below(2000)) : recorded;
        fuzz.mutate(sent);
        Tcp::socket socket(io);
        socket.connect(endpoint_);
        asio::error_code gone;
        asio::write(socket, asio::buffer(sent), gone);
        RawClient::drain(socket.native_handle());
        if (k % 500 == 0) expect_served();
    }
    expect_served();
    EXPECT_EQ(server_.refused(static_cast<std::size_t>(fuzzed_frames())), static_cast<std::size_t>(fuzzed_frames()));
}

}  // namespace trellis::fuzzed_frames_test
