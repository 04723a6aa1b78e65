// Kernels over small sets that are made of graphs a client may send: what is refused, and random ones.
#include "trellis/forces/run_time/graphs/small_sets.hpp"

#include <gtest/gtest.h>

#include <string>

#include "trellis/base/error.hpp"
#include "trellis/devices/cuda/cuda_compiler.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/forces/run_time/graphs/set_lists.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/run_time/graphs/written_graph.hpp"
#include "unit/transport/fuzzed_bytes.hpp"

namespace trellis::small_sets_test {

// A graph of four results, the last of which is a potential, with two parameters.
std::vector<std::byte> graph_of(std::uint8_t range, std::uint32_t components = 4) {
    WrittenGraph graph(range, components, 2, {1, 2, 3, 4}, 8);
    const std::uint32_t x = graph.leaf(Operation::of_j, 0), mass = graph.leaf(Operation::of_j, components - 1);
    const std::uint32_t reach = graph.leaf(Operation::parameter, 1), own = graph.leaf(Operation::of_i, components - 1);
    const std::uint32_t less = graph.apply(Operation::less, {x, reach});
    const std::uint32_t force = graph.apply(Operation::mul, {mass, graph.apply(Operation::entry, {0, x})});
    for (int c = 0; c < 4; ++c) {
        if (range == 1)
            graph.result(ResultKind::sum, force);
        else
            graph.sum(force, own);
    }
    return range == 0 ? graph.bytes() : graph.bytes({less});
}

std::string refusal(std::uint8_t range, std::uint32_t components, const SetResults& results) {
    return message_of([&] { pair_kernel(over_small_sets(graph_of(range, components), results)); });
}

TEST(SmallSets, a_graph_that_has_no_forces_for_them_is_refused) {
    for (const std::uint8_t range : {0, 2}) EXPECT_EQ(refusal(range, 4, {0, 3}), "") << range;
    EXPECT_EQ(refusal(1, 4, {0, 3}),
              "the graph of an interaction has sums without factors: within small sets, they have some");
    EXPECT_EQ(refusal(2, 25, {0, 3}),
              "the graph of an interaction reads fields of 25 components: within small sets, allowed are 24");
    for (const SetResults& results : {SetResults{2, 0}, SetResults{0, 4}, SetResults{0xFFFFFFFF, 0}})
        EXPECT_EQ(refusal(2, 4, results),
                  "the graph of an interaction has 4 results: acceleration and potential are not among them");
    const std::vector<std::byte> whole = over_small_sets(graph_of(2), {0, 3});
    if (has_cuda_compiler()) {
        EXPECT_NE(compiled_for_cuda(pair_kernel(whole).text->text, 9, 0), "");
        EXPECT_NE(compiled_for_cuda(pair_kernel(over_small_sets(graph_of(2), {0, 3}, true)).text->text, 9, 0), "");
    }
    for (std::size_t length = 1; length < whole.size(); ++length)
        EXPECT_NE(message_of([&] { pair_kernel(std::span(whole).first(length)); }).find("ends within "),
                  std::string::npos)
            << length;
}

TEST(SmallSets, launches_stay_within_their_memories) {
    const GraphKernel kernel = pair_kernel(over_small_sets(graph_of(2), {0, 3}));
    const SmallSetsCall fits{.sets = 3,
                             .largest = 16,
                             .rows = 48,
                             .columns = 13,
                             .interactions = 2,
                             .stride = 4,
                             .graph = 0,
                             .acceleration = 6,
                             .columns_of = {0, 1, 2, 12}};
    using Sizes = std::vector<std::uint64_t>;
    const Sizes sizes{3 * sizeof(SmallSet), 13 * 48 * 8, 2 * 4 * 8, 48 * 8};
    const auto excess = [&](const SmallSetsCall& call, const Sizes& bytes) {
        return excess_of(kernel, std::as_bytes(std::span(&call, 1)), bytes);
    };
    EXPECT_EQ(excess(fits, sizes), "");
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        Sizes less = sizes;
        --less[k];
        EXPECT_NE(excess(fits, less), "") << k;
    }
    const auto refused = [&](auto change) {
        SmallSetsCall call = fits;
        change(call);
        return !excess(call, sizes).empty();
    };
    EXPECT_TRUE(refused([](SmallSetsCall& call) { call.largest = 49; }));
    EXPECT_TRUE(refused([](SmallSetsCall& call) { call.stride = 3; }));
    EXPECT_TRUE(refused([](SmallSetsCall& call) { call.interactions = 0; }));
    EXPECT_TRUE(refused([](SmallSetsCall& call) { call.acceleration = 11; }));
    EXPECT_TRUE(refused([](SmallSetsCall& call) { call.columns_of[3] = 13; }));
    EXPECT_FALSE(refused([](SmallSetsCall& call) { call.columns_of[4] = 13; }));
}

TEST(SmallSets, launches_with_excluded_pairs_stay_within_their_lists) {
    const GraphKernel kernel = pair_kernel(over_small_sets(graph_of(2), {0, 3}, true));
    const SmallSetsCall call{.sets = 3,
                             .largest = 16,
                             .rows = 48,
                             .columns = 13,
                             .interactions = 2,
                             .stride = 4,
                             .graph = 0,
                             .acceleration = 6,
                             .columns_of = {0, 1, 2, 12},
                             .numbers = 5,
                             .values = 2};
    const std::vector<std::uint64_t> sizes{3 * sizeof(SmallSet),     13 * 48 * 8, 2 * 4 * 8, 48 * 8,
                                           3 * 2 * sizeof(SetLists), 5 * 4,       2 * 8};
    const auto excess = [&](const std::vector<std::uint64_t>& bytes) {
        return excess_of(kernel, std::as_bytes(std::span(&call, 1)), bytes);
    };
    EXPECT_EQ(excess(sizes), "");
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        std::vector<std::uint64_t> less = sizes;
        --less[k];
        EXPECT_NE(excess(less), "") << k;
    }
}

// A compiler takes the texts of those that are not refused: one in a thousand, since it takes long.
TEST(SmallSets, changed_at_random_are_refused_or_have_a_text) {
    FuzzedBytes fuzz(13);
    int refused = 0, made = 0;
    for (int k = 0; k < fuzzed_frames(); ++k) {
        std::vector<std::byte> bytes = over_small_sets(graph_of(k % 2 == 0 ? 0 : 2), {0, 3}, k % 4 < 2);
        fuzz.mutate(bytes);
        try {
            const GraphKernel kernel = pair_kernel(bytes);
            if (has_cuda_compiler() && made++ % 1000 == 0) compiled_for_cuda(kernel.text->text, 9, 0);
        } catch (const InputError& error) {
            ++refused;
            ASSERT_TRUE(std::string(error.what()).starts_with("the graph of an interaction ")) << error.what();
        }
    }
    EXPECT_GT(refused, fuzzed_frames() / 8);
    EXPECT_LT(refused, fuzzed_frames());
}

}  // namespace trellis::small_sets_test
