// Kernels over tuples that are made of graphs a client may send: what is refused, and lists that are no lists.
#include "trellis/forces/run_time/tuples/tuple_sets.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/cuda/cuda_compiler.hpp"
#include "trellis/devices/opencl/opencl_device.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/run_time/graphs/set_lists.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"
#include "trellis/forces/run_time/graphs/written_graph.hpp"
#include "trellis/forces/run_time/tuples/tuple_graph.hpp"
#include "trellis/forces/run_time/tuples/tuple_launch.hpp"
#include "unit/error_message.hpp"
#include "unit/transport/fuzzed_bytes.hpp"

namespace trellis::tuple_sets_test {

// A bond with the energy v x^2 / 2 of the step x along one axis, and a value v for each.
std::vector<std::byte> spring(Operation value = Operation::of_j, int results = 4, std::uint8_t range = 0) {
    WrittenGraph graph(range);
    const std::uint32_t x = graph.leaf(Operation::of_j, 0), zero = graph.constant(0), one = graph.constant(1);
    const std::uint32_t half = graph.constant(0.5), v = graph.leaf(value, value == Operation::parameter ? 0 : 3);
    const std::uint32_t slope = graph.apply(Operation::mul, {x, v});
    graph.sum(graph.apply(Operation::mul, {graph.apply(Operation::mul, {slope, x}), half}), one);
    graph.sum(slope, one);
    for (int c = 2; c < results; ++c) graph.sum(zero, one);
    if (range == 0) return over_tuples(graph.bytes());
    return over_tuples(graph.bytes({graph.apply(Operation::less, {zero, one})}));
}

std::string refusal(const std::vector<std::byte>& bytes) {
    return message_of([&] { tuple_kernel(bytes); });
}

TEST(TupleSets, a_graph_that_is_not_that_of_a_tuple_is_refused) {
    EXPECT_EQ(refusal(spring()), "");
    EXPECT_EQ(refusal(spring(Operation::of_j, 5)),
              "the graph of an interaction has 5 results: of a tuple they are 4, 7 or 10");
    const std::string other =
        "the graph of an interaction is not that of a tuple, which reads its steps and values "
        "alone";
    EXPECT_EQ(refusal(spring(Operation::of_i)), other);
    EXPECT_EQ(refusal(spring(Operation::parameter)), other);
    EXPECT_EQ(refusal(spring(Operation::of_j, 4, 2)), other);
    EXPECT_EQ(refusal(spring(Operation::of_j, 7)), other);  // of more steps than there are components
    if (has_cuda_compiler()) {
        EXPECT_NE(compiled_for_cuda(tuple_kernel(spring()).text->text, 9, 0), "");
    }
}

TEST(TupleSets, graphs_changed_at_random_are_refused_or_have_a_text) {
    FuzzedBytes fuzz(17);
    int refused = 0;
    for (int k = 0; k < fuzzed_frames(); ++k) {
        std::vector<std::byte> bytes = spring();
        fuzz.mutate(bytes);
        if (!are_tuple_bytes(bytes)) continue;
        try {
            tuple_kernel(bytes);
        } catch (const InputError& error) {
            ++refused;
            ASSERT_TRUE(std::string(error.what()).starts_with("the graph of an interaction ")) << error.what();
        }
    }
    EXPECT_GT(refused, fuzzed_frames() / 8);
}

// Two particles at 0 and 2 with a spring of strength 3 between them, and numbers and values behind those of its lists,
// which a kernel may not read.
struct Launch {
    TupleSetsCall call{.sets = 1,
                       .largest = 2,
                       .rows = 4,
                       .columns = 13,
                       .interactions = 1,
                       .graph = 0,
                       .numbers = 7,
                       .values = 1,
                       .position = 0,
                       .mass = 12,
                       .acceleration = 6};
    SmallSet set{.first = 0, .count = 2, .wanted = 1, .box = {0, 0, 0}, .interaction = 0, .reference = 0};
    SetLists lists{.first_begin = 0,
                   .first_entry = 3,
                   .first_member = 5,
                   .first_value = 0,
                   .particles = 2,
                   .entries = 2,
                   .tuples = 1};
    std::vector<std::uint32_t> numbers{0, 1, 2, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    std::vector<double> values{3, 7, 7}, columns = std::vector<double>(13 * 4), potentials = std::vector<double>(4);

    Launch() {
        columns[1] = 2;
        columns[2] = columns[3] = 5;  // of no particle of the set
        for (std::size_t k = 0; k < 4; ++k) columns[12 * 4 + k] = 1;
    }

    // Carries it out on a device.
    void on(const std::shared_ptr<Device>& device) {
        const GraphKernel kernel = tuple_kernel(spring());
        register_kernel_text("tuples of a test", kernel.text);
        const std::unique_ptr<Queue> queue = device->make_queue();
        std::vector<DeviceMemory> memory;
        std::vector<const DeviceMemory*> all;
        const auto upload = [&](std::span<const std::byte> bytes) {
            memory.emplace_back(device, bytes.size());
            queue->upload(memory.back(), 0, bytes);
        };
        upload(std::as_bytes(std::span(&set, 1)));
        upload(std::as_bytes(std::span(columns)));
        upload(std::as_bytes(std::span(potentials)));
        upload(std::as_bytes(std::span(&lists, 1)));
        upload(std::as_bytes(std::span(numbers)));
        upload(std::as_bytes(std::span(values)));
        for (const DeviceMemory& each : memory) all.push_back(&each);
        queue->launch("tuples of a test", std::as_bytes(std::span(&call, 1)), all);
        queue->download(memory[1], 0, std::as_writable_bytes(std::span(columns)));
        queue->download(memory[2], 0, std::as_writable_bytes(std::span(potentials)));
        queue->wait();
    }
    bool moved() const { return columns[6 * 4] != 0 || columns[6 * 4 + 1] != 0 || potentials[0] + potentials[1] != 0; }
};

TEST(TupleSets, launches_stay_within_their_memories) {
    const GraphKernel kernel = tuple_kernel(spring());
    using Sizes = std::vector<std::uint64_t>;
    const Sizes sizes{sizeof(SmallSet), 13 * 4 * 8, 4 * 8, sizeof(SetLists), 7 * 4, 8};
    const auto excess = [&](const TupleSetsCall& call, const Sizes& bytes) {
        return excess_of(kernel, std::as_bytes(std::span(&call, 1)), bytes);
    };
    EXPECT_EQ(excess(Launch().call, sizes), "");
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        Sizes less = sizes;
        --less[k];
        EXPECT_NE(excess(Launch().call, less), "") << k;
    }
    const auto refused = [&](auto change) {
        TupleSetsCall call = Launch().call;
        change(call);
        return !excess(call, sizes).empty();
    };
    EXPECT_TRUE(refused([](TupleSetsCall& call) { call.largest = 5; }));
    EXPECT_TRUE(refused([](TupleSetsCall& call) { call.graph = 1; }));
    EXPECT_TRUE(refused([](TupleSetsCall& call) { call.graph = ~std::uint64_t{0}; }));
    EXPECT_TRUE(refused([](TupleSetsCall& call) { call.interactions = 0; }));
    EXPECT_TRUE(refused([](TupleSetsCall& call) { call.mass = 13; }));
    EXPECT_TRUE(refused([](TupleSetsCall& call) { call.position = 11; }));
    EXPECT_TRUE(refused([](TupleSetsCall& call) { call.acceleration = 0xFFFFFFFF; }));
}

// The processor, and a device of OpenCL if there is one.
std::vector<std::shared_ptr<Device>> devices() {
    std::vector<std::shared_ptr<Device>> all{threads_as_device()};
    if (opencl_device_count() > 0 && opencl_device_serves(0)) all.push_back(open_device("opencl:0"));
    return all;
}

TEST(TupleSets, a_spring_pulls_its_members) {
    for (const auto& device : devices()) {
        Launch launch;
        launch.on(device);
        EXPECT_EQ(launch.columns[6 * 4], 6) << device->name();
        EXPECT_EQ(launch.columns[6 * 4 + 1], -6) << device->name();
        EXPECT_EQ(launch.potentials[0], 6) << device->name();
        EXPECT_EQ(launch.potentials[1], 6) << device->name();
        Launch left_out;
        left_out.set.wanted = 0;
        left_out.on(device);
        EXPECT_FALSE(left_out.moved()) << device->name();
    }
}

// Each names something beyond the memories or the set; what stands there would be a spring.
TEST(TupleSets, lists_that_a_client_has_made_up_move_nothing) {
    const std::vector<std::function<void(Launch&)>> changes{
        [](Launch& launch) { launch.lists.first_member = 7; },
        [](Launch& launch) { launch.lists.first_member = ~std::uint64_t{0} - 1; },
        [](Launch& launch) { launch.lists.first_value = 1; },
        [](Launch& launch) { launch.lists.first_value = ~std::uint64_t{0}; },
        [](Launch& launch) { launch.numbers[6] = 2; },
        [](Launch& launch) { launch.numbers[5] = 0xFFFFFFFF; },
        [](Launch& launch) { launch.lists.tuples = 2; },
        [](Launch& launch) { launch.lists.tuples = 0xFFFFFFFF; },
        [](Launch& launch) { launch.set.interaction = 1; },
        [](Launch& launch) { launch.set.first = 3; }};
    for (const auto& device : devices())
        for (std::size_t k = 0; k < changes.size(); ++k) {
            Launch launch;
            changes[k](launch);
            launch.on(device);
            EXPECT_FALSE(launch.moved()) << device->name() << ", " << k;
        }
}

TEST(SetLists, numbers_beyond_those_that_there_are_are_no_entries) {
    const std::vector<std::uint32_t> numbers{0, 1, 2, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    const auto entries_of = [&](const SetLists& lists) {
        std::size_t count = 0;
        for (std::size_t k = 0; k < 3; ++k)
            CheckedLists(lists, numbers.data(), 5, 2).each(k, [&](std::uint32_t, std::uint64_t) { ++count; });
        return count;
    };
    const SetLists whole = Launch().lists;
    EXPECT_EQ(entries_of(whole), 2);
    const auto changed = [&](auto change) {
        SetLists lists = whole;
        change(lists);
        return entries_of(lists);
    };
    EXPECT_EQ(changed([](SetLists& lists) { lists.first_begin = 3; }), 0);
    EXPECT_EQ(changed([](SetLists& lists) { lists.first_begin = ~std::uint64_t{0}; }), 0);
    EXPECT_EQ(changed([](SetLists& lists) { lists.first_entry = 4; }), 0);
    EXPECT_EQ(changed([](SetLists& lists) { lists.first_value = 1; }), 0);
    EXPECT_EQ(changed([](SetLists& lists) { lists.particles = 5; }), 0);
    EXPECT_EQ(changed([](SetLists& lists) { lists.entries = 1; }), 1);
}

}  // namespace trellis::tuple_sets_test
