// Graphs of interactions that a client may send: a sentence for each that is malformed, and random ones.
// TRELLIS_FUZZED_FRAMES: number of the latter, instead of ten thousand.
#include "trellis/forces/run_time/graphs/pair_graph.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "trellis/base/error.hpp"
#include "trellis/devices/cuda/cuda_compiler.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/run_time/graphs/written_graph.hpp"
#include "unit/transport/fuzzed_bytes.hpp"

namespace trellis::pair_graph_test {

std::string refusal(std::span<const std::byte> bytes) {
    return message_of([&] { read_pair_graph(bytes); });
}

TEST(PairGraph, has_its_operations_and_what_they_read) {
    const std::vector<std::byte> bytes = graph_of_everything(true);
    const PairGraph graph = read_pair_graph(bytes);
    EXPECT_TRUE(graph.short_range);
    EXPECT_EQ(graph.components, 6U);
    EXPECT_EQ(graph.results.size(), 3U);
    EXPECT_EQ(graph.nodes[4].reads, from_i | from_j);
    EXPECT_EQ(graph.nodes[3].reads, 0U);
    EXPECT_TRUE(graph.nodes[graph.within].is_condition());
}

TEST(PairGraph, malformed_operations_are_refused_in_a_sentence) {
    WrittenGraph unknown(false);
    unknown.apply(static_cast<Operation>(99), {});
    EXPECT_EQ(refusal(unknown.bytes()), "the graph of an interaction has 99 as its operation: allowed are 0 to 29");
    WrittenGraph forward(false);
    forward.constant(1);
    forward.apply(Operation::add, {0, 1});
    EXPECT_EQ(refusal(forward.bytes()),
              "the graph of an interaction has an argument of operation 1 (add) that is operation 1: allowed are "
              "earlier ones");
    WrittenGraph number(false);
    number.constant(1);
    number.apply(Operation::where, {0, 0, 0});
    EXPECT_EQ(refusal(number.bytes()),
              "the graph of an interaction has an argument of operation 1 (where) that is operation 0, a number: "
              "allowed is a condition");
    WrittenGraph condition(false);
    condition.constant(1);
    condition.apply(Operation::less, {0, 0});
    condition.sum(1, 0);
    EXPECT_EQ(refusal(condition.bytes()),
              "the graph of an interaction has a result that is operation 1, a condition: allowed is a number");
    WrittenGraph factor(false);
    factor.leaf(Operation::of_j, 3);
    factor.sum(0, 0);
    EXPECT_EQ(refusal(factor.bytes()),
              "the graph of an interaction has a factor of a sum that is operation 0, which depends on j: allowed are "
              "those that depend on i alone");
    WrittenGraph field(false);
    field.leaf(Operation::of_i, 4);
    EXPECT_EQ(refusal(field.bytes()), "the graph of an interaction has 4 as its component: allowed are 0 to 3");
    WrittenGraph parameter(false, 4, 2);
    parameter.leaf(Operation::parameter, 2);
    EXPECT_EQ(refusal(parameter.bytes()), "the graph of an interaction has 2 as its parameter: allowed are 0 to 1");
}

TEST(PairGraph, malformed_sizes_results_and_tables_are_refused_in_a_sentence) {
    WrittenGraph large(false);
    for (int k = 0; k < 2001; ++k) large.constant(k);
    EXPECT_EQ(refusal(large.bytes()),
              "the graph of an interaction has 2001 as its number of operations: allowed are 1 to 2000");
    WrittenGraph none(false);
    none.constant(1);
    EXPECT_EQ(refusal(none.bytes()), "the graph of an interaction has 0 as its number of results: allowed are 1 to 24");
    WrittenGraph extreme(false);
    extreme.constant(1);
    extreme.result(ResultKind::maximum, 0);
    EXPECT_EQ(refusal(extreme.bytes({0})),
              "the graph of an interaction has 1 as its kind of result: allowed are 0 to 0");
    EXPECT_EQ(refusal(WrittenGraph(false, 49).bytes()),
              "the graph of an interaction has 49 as its number of components: allowed are 3 to 48");
    EXPECT_EQ(refusal(WrittenGraph(false, 4, 257).bytes()),
              "the graph of an interaction has 257 as its number of parameters: allowed are 1 to 256");
    WrittenGraph no_tables(false);
    no_tables.constant(1);
    no_tables.apply(Operation::entry, {0, 0});
    EXPECT_EQ(refusal(no_tables.bytes()), "the graph of an interaction has an entry of a table, but no tables");
    WrittenGraph fifth(false, 4, 1, {1, 2, 3, 4});
    fifth.constant(1);
    fifth.apply(Operation::entry, {4, 0});
    EXPECT_EQ(refusal(fifth.bytes()), "the graph of an interaction has 4 as its entry of four: allowed are 0 to 3");
    EXPECT_EQ(refusal(WrittenGraph(false, 4, 1, std::vector<double>(4 * 2049)).bytes()),
              "the graph of an interaction has 2049 rows of tables: on a device, 2048 are allowed");
    std::vector<std::byte> longer = graph_of_everything(false);
    longer.push_back({});
    EXPECT_EQ(refusal(longer), "the graph of an interaction goes on for 1 bytes behind its end");
    EXPECT_NE(message_of([] { pair_kernel({}); }).find("is in no precision"), std::string::npos);
    EXPECT_NE(message_of([] { pair_kernel(over_masked_entries({})); }).find("is in no precision"), std::string::npos);
    const std::vector<std::byte> tree = in_precision(graph_of_everything(false), sizeof(float));
    EXPECT_EQ(message_of([&] { pair_kernel(over_masked_entries(tree)); }),
              "the graph of an interaction is of long range: masked entries are of neighbour lists");
}

TEST(PairGraph, each_beginning_of_one_is_refused) {
    for (const bool short_range : {false, true}) {
        const std::vector<std::byte> whole = graph_of_everything(short_range);
        read_pair_graph(whole);
        for (std::size_t length = 0; length < whole.size(); ++length)
            EXPECT_NE(refusal(std::span(whole).first(length)).find("ends within "), std::string::npos) << length;
    }
}

// A compiler takes the texts of those that are not refused: one in a thousand, since it takes long.
TEST(PairGraph, changed_at_random_is_refused_or_has_a_text) {
    FuzzedBytes fuzz(7);
    int refused = 0, made = 0;
    for (int k = 0; k < fuzzed_frames(); ++k) {
        std::vector<std::byte> bytes = in_precision(graph_of_everything(k % 2 == 0), k % 4 < 2 ? 4 : 8);
        if (k % 8 == 0) bytes = over_masked_entries(bytes);
        fuzz.mutate(bytes);
        try {
            const GraphKernel kernel = pair_kernel(bytes);
            ASSERT_LT(kernel.text->text.size(), 1U << 16);
            if (has_cuda_compiler() && made++ % 1000 == 0) compiled_for_cuda(kernel.text->text, 9, 0);
        } catch (const InputError& error) {
            ++refused;
            ASSERT_TRUE(std::string(error.what()).starts_with("the graph of an interaction ")) << error.what();
        }
    }
    EXPECT_GT(refused, fuzzed_frames() / 4);
    EXPECT_LT(refused, fuzzed_frames());
}

TEST(PairGraph, over_masked_entries_is_compiled_for_cuda) {
    if (!has_cuda_compiler()) GTEST_SKIP() << "skipped: no libnvrtc.so";
    for (const std::size_t value_bytes : {sizeof(float), sizeof(double)}) {
        const std::vector<std::byte> bytes = over_masked_entries(in_precision(graph_of_everything(true), value_bytes));
        EXPECT_NE(compiled_for_cuda(pair_kernel(bytes).text->text, 9, 0), "");
    }
}

// As many operations, parameters, fields and results as there may be.
TEST(PairGraph, of_the_largest_size_has_a_text_of_bounded_length) {
    WrittenGraph graph(false, 48, 256, std::vector<double>(4 * most_graph_rows, -1.0 / 3));
    const std::uint32_t factor = graph.leaf(Operation::of_i, 46);
    std::uint32_t last = graph.leaf(Operation::of_j, 47);
    for (std::size_t k = 2; k < most_graph_nodes; ++k) last = graph.apply(Operation::rsqrt, {last});
    for (std::size_t c = 0; c < most_run_time_components; ++c) graph.sum(last, factor);
    const GraphKernel kernel = pair_kernel(in_precision(graph.bytes(), sizeof(double)));
    EXPECT_LT(kernel.text->text.size(), 1U << 19);
}

// A launch beyond its memories is refused: as for every kernel that a server has (served_kernels).
TEST(PairGraph, launches_stay_within_their_memories) {
    const GraphKernel tree = pair_kernel(in_precision(graph_of_everything(false), sizeof(float)));
    const GraphKernel lists = pair_kernel(in_precision(graph_of_everything(true), sizeof(double)));
    const auto constants = [](const GraphKernel& kernel, auto head) {
        std::vector<std::byte> all(kernel.constants_bytes);
        std::memcpy(all.data(), &head, sizeof head);
        return all;
    };
    const std::uint64_t row = 12 * sizeof(float), group = sizeof(DeviceGroup), element = 3 * sizeof(double);
    using Sizes = std::vector<std::uint64_t>;
    const auto pairs = constants(tree, PairsCall{2, 10});
    EXPECT_EQ(excess_of(tree, pairs, Sizes{10 * row, 2 * group, 0, 10 * sizeof(float)}), "");
    EXPECT_NE(excess_of(tree, pairs, Sizes{10 * row - 1, 2 * group, 0, 10 * sizeof(float)}), "");
    EXPECT_NE(excess_of(tree, pairs, Sizes{10 * row, 2 * group - 1, 0, 10 * sizeof(float)}), "");
    EXPECT_NE(excess_of(tree, pairs, Sizes{10 * row, 2 * group, 0, 10 * sizeof(float) - 1}), "");
    EXPECT_NE(excess_of(tree, std::span(pairs).first(16), Sizes{10 * row, 2 * group, 0, 40}), "");
    const auto neighbours = constants(lists, std::uint64_t{33});
    EXPECT_EQ(excess_of(lists, neighbours, Sizes{96, 3 * sizeof(ListedBlock), 0, 33 * element}), "");
    EXPECT_NE(excess_of(lists, neighbours, Sizes{96, 2 * sizeof(ListedBlock), 0, 33 * element}), "");
    EXPECT_NE(excess_of(lists, neighbours, Sizes{96, 3 * sizeof(ListedBlock), 0, 33 * element - 1}), "");
    const GraphKernel masked =
        pair_kernel(over_masked_entries(in_precision(graph_of_everything(true), sizeof(double))));
    EXPECT_EQ(excess_of(masked, neighbours, Sizes{96, 3 * sizeof(ListedBlock), 0, 0, 33 * element}), "");
    EXPECT_NE(excess_of(masked, neighbours, Sizes{96, 3 * sizeof(ListedBlock), 0, 0, 33 * element - 1}), "");
    EXPECT_NE(excess_of(masked, neighbours, Sizes{96, 3 * sizeof(ListedBlock), 0, 33 * element}), "");
    const auto all = constants(lists, std::numeric_limits<std::uint64_t>::max());
    EXPECT_NE(excess_of(lists, all, Sizes{1 << 20, 1 << 20, 0, 1 << 20}), "");
}

}  // namespace trellis::pair_graph_test
