// Kernels that a server makes of graphs, on a device of OpenCL: what it refuses, and graphs at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "trellis/devices/opencl/opencl_device.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"
#include "unit/devices/remote/raw_client.hpp"
#include "unit/devices/remote/running_server.hpp"
#include "unit/forces/run_time/graphs/written_graph.hpp"
#include "unit/transport/fuzzed_bytes.hpp"

namespace trellis::served_graphs_test {

constexpr std::uint64_t memory_bytes = 1 << 16;

std::vector<std::byte> graph_in_single(bool short_range) {
    return in_precision(graph_of_everything(short_range), sizeof(float));
}

// Four sums within small sets.
std::vector<std::byte> graph_over_sets() {
    WrittenGraph graph(2);
    const std::uint32_t mass = graph.leaf(Operation::of_j, 3), own = graph.leaf(Operation::of_i, 3);
    for (int c = 0; c < 4; ++c) graph.sum(mass, own);
    return over_small_sets(graph.bytes({graph.apply(Operation::less, {mass, own})}), {0, 3});
}

// Constants of the kernels: two parameters behind what says how many groups or i-particles there are.
std::vector<std::byte> constants_of(bool short_range, std::uint32_t count) {
    std::vector<std::byte> all((short_range ? 8 : 16) + 2 * sizeof(double));
    std::memcpy(all.data(), &count, sizeof count);
    return all;
}

// The place of the first operation of these graphs, behind their head and a table of four values.
constexpr std::size_t first_operation = 54;

class ServedGraphs : public testing::Test {
  protected:
    void SetUp() override {
        if (opencl_device_count() == 0 || !opencl_device_serves(0)) {
            EXPECT_EQ(std::getenv("CI"), nullptr) << "the full check needs a device of OpenCL: see tools/setup.sh";
            GTEST_SKIP() << "skipped: no OpenCL device";
        }
        provide_graph_kernels(pair_kernel);
        server_ = std::make_unique<RunningServer>(ServerSettings{.devices = {"opencl:0", "cpu"}});
        server_->server().listen_unix(keys_.socket());
        server_->start();
    }

    // Opens a device, whose memories are zero: groups and blocks of no particles.
    void begin(RawClient& client, const std::string& device = "opencl:0") {
        client.grace = 60'000;  // on a busy machine a driver compiles for seconds, in which this client is silent
        client.handshake();
        client.send(1, body_of({wire::OpenDevice{device, 1 << 20}, wire::MakeQueue{1}}));
        std::vector<wire::Call> calls;
        ByteWriter body;
        for (std::uint64_t memory = 1; memory <= 4; ++memory) {
            calls.emplace_back(wire::Allocate{memory, memory_bytes});
            calls.emplace_back(wire::Upload{1, memory, 0, memory_bytes});
        }
        for (const wire::Call& call : calls) wire::put(body, call);
        client.send(2, body.take(), std::vector<std::byte>(4 * memory_bytes));
    }
    // Sends calls, and returns the failure of the device, "" if all were carried out, or "ended" with the session.
    static std::string outcome_of(RawClient& client, std::initializer_list<wire::Call> calls) {
        ByteWriter body;
        for (const wire::Call& call : calls) wire::put(body, call);
        wire::put(body, wire::Notify{1});
        client.send(3, body.take());
        try {
            while (true) {
                const RawClient::Received received = client.receive();
                ByteReader reader(received.body);
                std::string failure;
                while (!reader.at_end()) {
                    const wire::Answer answer = wire::get_answer(reader);
                    if (const auto* failed = std::get_if<wire::Failed>(&answer)) failure = failed->failure;
                    if (std::holds_alternative<wire::Done>(answer)) return failure;
                }
            }
        } catch (const std::exception&) {
            return "ended";
        }
    }
    static wire::Call launch(bool short_range, std::uint32_t count) {
        return wire::Launch{1, "mine", constants_of(short_range, count), {1, 2, 3, 4}};
    }

    KeysFolder keys_;
    const std::string place_ = "unix:" + keys_.socket();
    std::unique_ptr<RunningServer> server_;
};

TEST_F(ServedGraphs, are_made_and_launched) {
    for (const char* device : {"opencl:0", "cpu"}) {
        for (const bool short_range : {false, true}) {
            RawClient client(place_);
            begin(client, device);
            EXPECT_EQ(
                outcome_of(client, {wire::MakeKernel{"mine", graph_in_single(short_range)}, launch(short_range, 32)}),
                "");
        }
        RawClient client(place_);
        begin(client, device);
        EXPECT_EQ(outcome_of(client, {wire::MakeKernel{"mine", graph_over_sets()}}), "");
    }
}

TEST_F(ServedGraphs, are_refused_in_a_sentence) {
    RawClient unknown(place_), many(place_);
    begin(unknown);
    std::vector<std::byte> bytes = graph_in_single(true);
    bytes[first_operation] = std::byte{77};
    EXPECT_EQ(
        outcome_of(unknown, {wire::MakeKernel{"mine", bytes}, launch(true, 32)}),
        "does not make the kernel 'mine': the graph of an interaction has 77 as its operation: allowed are 0 to 29");
    begin(many);
    ByteWriter body;
    for (int k = 0; k < 65; ++k) wire::put(body, wire::MakeKernel{std::to_string(k), graph_in_single(true)});
    many.send(3, body.take());
    wire::put(body = {}, wire::Notify{1});
    many.send(4, body.take());
    std::string failure;
    while (failure.empty()) {
        const RawClient::Received received = many.receive();
        ByteReader reader(received.body);
        while (!reader.at_end()) {
            const wire::Answer answer = wire::get_answer(reader);
            if (const auto* failed = std::get_if<wire::Failed>(&answer)) failure = failed->failure;
        }
    }
    EXPECT_EQ(failure, "does not make the kernel '64': it has made 64 others, the most for a client's device");
}

TEST_F(ServedGraphs, are_not_launched_beyond_their_memories) {
    RawClient beyond(place_), twice(place_), named(place_);
    begin(beyond);
    EXPECT_EQ(outcome_of(beyond, {wire::MakeKernel{"mine", graph_in_single(true)}, launch(true, 1 << 20)}), "ended");
    begin(twice);
    EXPECT_EQ(outcome_of(twice, {wire::MakeKernel{"mine", graph_in_single(true)},
                                 wire::MakeKernel{"mine", graph_in_single(true)}}),
              "ended");
    begin(named);
    EXPECT_EQ(outcome_of(named, {wire::MakeKernel{std::string(2000, 'a'), graph_in_single(true)}}), "ended");
    EXPECT_EQ(server_->logged("closed", 3).size(), 3U);
}

// The server survives, and has an answer for each.
TEST_F(ServedGraphs, at_random_are_refused_or_launched) {
    FuzzedBytes fuzz(11);
    int refused = 0, launched = 0;
    for (int k = 0; k < fuzzed_frames() / 50; ++k) {
        const bool short_range = fuzz.one_in(2);
        std::vector<std::byte> bytes = graph_in_single(short_range);
        if (fuzz.one_in(4))
            std::ranges::copy(fuzz.bytes(sizeof(double)), bytes.begin() + first_operation + 1);  // a constant
        else
            fuzz.mutate(bytes);
        RawClient client(place_);
        client.grace = 0;
        begin(client, fuzz.one_in(2) ? "cpu" : "opencl:0");
        const std::string outcome = outcome_of(client, {wire::MakeKernel{"mine", bytes}, launch(short_range, 32)});
        if (outcome.starts_with("does not make the kernel 'mine': the graph of an interaction ")) ++refused;
        if (outcome.empty()) ++launched;
        EXPECT_TRUE(outcome.empty() || outcome == "ended" || outcome.starts_with("does not make")) << outcome;
    }
    EXPECT_GT(refused, fuzzed_frames() / 200);
    EXPECT_GT(launched, fuzzed_frames() / 500);
    RawClient client(place_);
    begin(client);
    EXPECT_EQ(outcome_of(client, {wire::MakeKernel{"mine", graph_in_single(false)}, launch(false, 32)}), "");
}

}  // namespace trellis::served_graphs_test
