// Kernels in processes of their own: one that fails in any way costs its client the device, and no other client.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "trellis/devices/isolated/shared_arena.hpp"
#include "trellis/devices/kernel_text.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "unit/devices/remote/running_server.hpp"
#include "unit/devices/scaling_kernels.hpp"
#include "unit/forces/run_time/graphs/written_graph.hpp"

namespace trellis::isolated_kernels_test {

void write_nowhere(const KernelCall& /*call*/) { *reinterpret_cast<volatile int*>(16) = 1; }

void never_end(const KernelCall& /*call*/) {
    while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

ServerSettings isolated() {
    register_scaling_kernels();
    provide_graph_kernels(pair_kernel);
    constexpr KernelArguments scaling{sizeof(Scaling), 1, [](std::span<const std::byte>, std::span<MemoryUse>) {}};
    register_kernel(DeviceKind::cpu, "write nowhere", write_nowhere, scaling);
    register_kernel(DeviceKind::cpu, "never end", never_end, scaling);
    ServerSettings settings;
    settings.devices = {"cpu"};
    settings.isolated = true;
    return settings;
}

class IsolatedKernelsTest : public testing::Test {
  protected:
    IsolatedKernelsTest() : server_(isolated()) {
        server_.server().listen_unix(keys_.socket());
        server_.start();
    }
    std::shared_ptr<Device> open() const {
        return open_device("unix:" + keys_.socket() + "/cpu", 1 << 20, std::chrono::milliseconds(10'000));
    }
    static std::vector<float> scaled(const std::shared_ptr<Device>& device) {
        std::vector<float> values{1, 2, 3};
        const DeviceMemory memory(device, values.size() * sizeof(float));
        const auto queue = device->make_queue();
        queue->upload(memory, 0, std::as_bytes(std::span(values)));
        for (int k = 0; k < 3; ++k) launch_scaling(*queue, "scale", memory, values.size(), 2);
        queue->download(memory, 0, std::as_writable_bytes(std::span(values)));
        queue->wait();
        return values;
    }

    KeysFolder keys_;
    RunningServer server_;
};

TEST_F(IsolatedKernelsTest, work_on_the_memory_of_the_device) {
    const auto device = open();
    for (int k = 0; k < 3; ++k) EXPECT_EQ(scaled(device), (std::vector<float>{8, 16, 24}));
}

TEST_F(IsolatedKernelsTest, may_fail_with_a_reason) {
    const auto device = open();
    const DeviceMemory memory(device, 4);
    const auto queue = device->make_queue();
    launch_scaling(*queue, "explode", memory, 1, 1);
    EXPECT_NE(failure_of(*queue).find("failed: it exploded"), std::string::npos);
}

TEST_F(IsolatedKernelsTest, that_write_anywhere_end_their_own_process) {
    const auto other = open(), device = open();
    EXPECT_EQ(scaled(other), (std::vector<float>{8, 16, 24}));
    const DeviceMemory memory(device, 4);
    const auto queue = device->make_queue();
    launch_scaling(*queue, "write nowhere", memory, 1, 1);
    EXPECT_NE(failure_of(*queue).find("the process of its kernels has ended"), std::string::npos);
    EXPECT_EQ(scaled(other), (std::vector<float>{8, 16, 24}));
    EXPECT_EQ(scaled(open()), (std::vector<float>{8, 16, 24}));
}

// Blocks of 4 particles each, with a list that begins at entry `begin`.
TEST_F(IsolatedKernelsTest, of_graphs_that_read_anywhere_end_their_own_process) {
    register_kernel_text("graph", pair_kernel(in_precision(graph_of_everything(true), sizeof(float))).text);
    const auto outcome_of = [&](std::uint64_t begin) {
        const auto device = open();
        const auto queue = device->make_queue();
        const std::vector<std::byte> zeros(1 << 12);
        const ListedBlock block{0, 4, 4, 0, begin, 0};
        const struct {
            std::uint64_t elements;
            double parameters[2];
        } constants{elements_of(1), {1, 2}};
        std::vector<DeviceMemory> memories;
        for (int k = 0; k < 4; ++k) memories.emplace_back(device, zeros.size());
        std::vector<const DeviceMemory*> given;
        for (const DeviceMemory& memory : memories) given.push_back(&memory);
        for (const DeviceMemory& memory : memories) queue->upload(memory, 0, zeros);
        queue->upload(memories[1], 0, std::as_bytes(std::span(&block, 1)));
        queue->launch("graph", std::as_bytes(std::span(&constants, 1)), given);
        std::vector<float> outcome(elements_of(1));
        queue->download(memories[3], 0, std::as_writable_bytes(std::span(outcome)));
        return failure_of(*queue);
    };
    const auto other = open();
    EXPECT_EQ(outcome_of(0), "");
    EXPECT_NE(outcome_of(std::uint64_t{1} << 44).find("the process of its kernels has ended"), std::string::npos);
    EXPECT_EQ(scaled(other), (std::vector<float>{8, 16, 24}));
    EXPECT_EQ(outcome_of(0), "");
}

// The memory of the device can be lent again.
TEST_F(IsolatedKernelsTest, that_do_not_end_are_ended_with_their_session) {
    auto device = open();
    {
        const DeviceMemory memory(device, 4);
        const auto queue = device->make_queue();
        launch_scaling(*queue, "never end", memory, 1, 1);
        queue->flush();
    }
    device.reset();
    EXPECT_EQ(server_.logged("returned", 1).size(), 1U);
    EXPECT_EQ(scaled(open()), (std::vector<float>{8, 16, 24}));
}

TEST(SharedArena, joins_the_blocks_that_are_released) {
    constexpr std::size_t bytes = 1 << 20;
    SharedArena arena(bytes);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::byte*> blocks;
        for (int k = 0; k < 16; ++k) {
            blocks.push_back(arena.allocate(bytes / 16 - 100));
            ASSERT_NE(blocks.back(), nullptr);
            EXPECT_EQ(arena.offset_of(blocks.back()) % 64, 0U);
            *blocks.back() = std::byte{1};
        }
        for (int k = 0; k < 16; ++k) arena.release(blocks[static_cast<std::size_t>(k * 7 % 16)]);
        std::byte* const whole = arena.allocate(4 * bytes);
        ASSERT_NE(whole, nullptr);
        arena.release(whole);
    }
    EXPECT_EQ(arena.allocate(8 * bytes), nullptr);
}

}  // namespace trellis::isolated_kernels_test
