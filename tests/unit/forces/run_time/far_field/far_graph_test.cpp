// Graphs of far fields that a client may send: a sentence for each that is malformed, and random ones; the texts and
// the values of the rest. TRELLIS_FUZZED_FRAMES: number of the random ones, instead of ten thousand.
#include "trellis/forces/run_time/far_field/far_graph.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "trellis/base/error.hpp"
#include "trellis/devices/cuda/cuda_compiler.hpp"
#include "trellis/forces/run_time/far_field/expansion_text.hpp"
#include "trellis/forces/run_time/far_field/far_launch.hpp"
#include "trellis/forces/run_time/far_field/written.hpp"
#include "trellis/forces/tree/kernels/device_far_field.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/run_time/graphs/written_graph.hpp"
#include "unit/transport/fuzzed_bytes.hpp"

namespace trellis::far_graph_test {

FarHead head_of(FarKernel kernel, int order = 2, std::size_t value_bytes = sizeof(float)) {
    return {kernel, static_cast<std::uint8_t>(order), static_cast<std::uint8_t>(value_bytes), 4, 0, 3};
}

// Seven derivatives by the squared distance, the squared unit and a parameter; the response is field 3 of i.
std::vector<std::byte> some_graph() {
    WrittenGraph graph(0, 5, 2);
    const std::uint32_t r2 = graph.leaf(Operation::of_j, 0), unit2 = graph.leaf(Operation::of_j, 1);
    const std::uint32_t scale = graph.leaf(Operation::parameter, 1), response = graph.leaf(Operation::of_i, 3);
    std::uint32_t derivative = graph.apply(Operation::mul, {scale, graph.apply(Operation::rsqrt, {r2})});
    for (int n = 0; n < 7; ++n) {
        graph.sum(derivative, response);
        derivative = graph.apply(Operation::mul, {derivative, unit2});
    }
    return graph.bytes();
}

std::string refusal(const FarHead& head, const WrittenGraph& graph) {
    WrittenGraph copy = graph;
    return message_of([&] { graph_kernel(far_bytes(head, copy.bytes())); });
}

TEST(FarGraph, malformed_ones_are_refused_in_a_sentence) {
    const std::vector<std::byte> graph = some_graph();
    const auto refused = [&](const FarHead& head) { return message_of([&] { graph_kernel(far_bytes(head, graph)); }); };
    EXPECT_EQ(refused(head_of(FarKernel(2))), "the graph of a far field is for kernel 2: allowed are 0 and 1");
    EXPECT_EQ(refused(head_of(FarKernel::locals, 6)), "the graph of a far field is of order 6: allowed are 2 to 5");
    EXPECT_EQ(refused(head_of(FarKernel::locals, 2, 2)),
              "the graph of a far field is in no precision: allowed are single and double");
    const char* const places = "the graph of a far field has 4 results: acceleration and potential are not among them";
    EXPECT_EQ(refused({FarKernel::locals, 2, 4, 4, 2, 3}), places);
    EXPECT_EQ(refused({FarKernel::locals, 2, 4, 4, 0, 4}), places);
    const auto with = [](std::uint32_t component, Operation of) {
        WrittenGraph made(0, 5, 1);
        const std::uint32_t one = made.constant(1), leaf = made.leaf(of, component);
        for (int n = 0; n < 4; ++n) made.sum(of == Operation::of_j ? leaf : one, of == Operation::of_i ? leaf : one);
        return made;
    };
    const FarHead head = head_of(FarKernel::far_field);
    EXPECT_EQ(refusal(head, with(1, Operation::of_j)), "");
    EXPECT_EQ(refusal(head_of(FarKernel::locals, 3), with(1, Operation::of_j)),
              "the graph of a far field has 4 radial derivatives: wanted are 5");
    EXPECT_EQ(refusal(head, with(2, Operation::of_j)),
              "the graph of a far field reads component 2 of j: allowed are 0 and 1");
    EXPECT_EQ(refusal(head, with(2, Operation::of_i)),
              "the graph of a far field reads a position: allowed are other fields");
    WrittenGraph of_i(0, 5, 1);
    const std::uint32_t charge = of_i.leaf(Operation::of_i, 3);
    for (int n = 0; n < 4; ++n) of_i.sum(charge, charge);
    EXPECT_EQ(refusal(head, of_i),
              "the graph of a far field has a radial derivative that depends on i: allowed are those that do not");
    WrittenGraph of_both(0, 5, 1);
    of_both.apply(Operation::add, {of_both.leaf(Operation::of_i, 3), of_both.leaf(Operation::of_j, 0)});
    for (int n = 0; n < 4; ++n) of_both.sum(0, 0);
    EXPECT_EQ(refusal(head, of_both), "the graph of a far field has an operation on i and j: allowed is one on either");
    WrittenGraph tables(0, 5, 1, {1, 2, 3, 4});
    for (int n = 0; n < 4; ++n) tables.sum(tables.constant(1), 0);
    EXPECT_EQ(refusal(head, tables), "the graph of a far field is of short range or has tables: allowed is neither");
}

TEST(FarGraph, each_beginning_of_one_is_refused) {
    const std::vector<std::byte> whole = far_bytes(head_of(FarKernel::locals), some_graph());
    for (std::size_t length = 1; length < whole.size(); ++length)
        EXPECT_NE(message_of([&] { graph_kernel(std::span(whole).first(length)); }).find("ends within "),
                  std::string::npos)
            << length;
}

// A compiler takes the texts of those that are not refused: one in a thousand, since it takes long.
TEST(FarGraph, changed_at_random_is_refused_or_has_a_text) {
    FuzzedBytes fuzz(3);
    int refused = 0, made = 0;
    for (int k = 0; k < fuzzed_frames() / 10; ++k) {
        std::vector<std::byte> bytes = far_bytes(
            head_of(k % 2 == 0 ? FarKernel::locals : FarKernel::far_field, 2, k % 4 < 2 ? 4 : 8), some_graph());
        fuzz.mutate(bytes);
        try {
            const GraphKernel kernel = graph_kernel(bytes);
            ASSERT_LT(kernel.text->text.size(), 1U << 18);
            if (has_cuda_compiler() && made++ % 1000 == 0) compiled_for_cuda(kernel.text->text, 9, 0);
        } catch (const InputError& error) {
            ++refused;
            ASSERT_TRUE(std::string(error.what()).starts_with("the graph of a")) << error.what();
        }
    }
    EXPECT_GT(refused, 0);
    EXPECT_LT(refused, fuzzed_frames() / 10);
}

// A launch beyond its memories is refused: as for every kernel that a server has (served_kernels).
TEST(FarGraph, launches_stay_within_their_memories) {
    const std::vector<std::byte> graph = some_graph();
    const auto constants = [](const GraphKernel& kernel, auto head) {
        std::vector<std::byte> all(kernel.constants_bytes);
        std::memcpy(all.data(), &head, sizeof head);
        return all;
    };
    using Sizes = std::vector<std::uint64_t>;
    constexpr std::uint64_t cell = 32 * sizeof(float), local = 10 * sizeof(float), target = sizeof(FarTarget);
    const auto check = [&](const GraphKernel& kernel, const std::vector<std::byte>& call, const Sizes& enough) {
        EXPECT_EQ(excess_of(kernel, call, enough), "");
        for (std::size_t k = 0; k < enough.size(); ++k) {
            if (enough[k] == 0) continue;
            Sizes less = enough;
            --less[k];
            EXPECT_NE(excess_of(kernel, call, less), "") << k;
        }
        EXPECT_NE(excess_of(kernel, std::span(call).first(16), enough), "");
    };
    const GraphKernel locals = graph_kernel(far_bytes(head_of(FarKernel::locals), graph));
    check(locals, constants(locals, LocalsCall{3}), {cell, 3 * target, 0, 3 * local});
    const GraphKernel field = graph_kernel(far_bytes(head_of(FarKernel::far_field), graph));
    check(field, constants(field, FarFieldCall{2, 10, 3, 4}),
          {10 * 8 * sizeof(float), 2 * sizeof(DeviceGroup), cell, 2 * sizeof(FarGroup), 0, 3 * target, 3 * local,
           4 * target, 4 * local, 10 * 4 * sizeof(float)});
}

TEST(FarGraph, is_compiled_for_cuda) {
    if (!has_cuda_compiler()) GTEST_SKIP() << "skipped: no libnvrtc.so";
    for (const FarKernel kernel : {FarKernel::locals, FarKernel::far_field})
        for (const std::size_t value_bytes : {sizeof(float), sizeof(double)}) {
            const std::vector<std::byte> bytes = far_bytes(head_of(kernel, 3, value_bytes), some_graph());
            EXPECT_NE(compiled_for_cuda(graph_kernel(bytes).text->text, 9, 0), "");
        }
}

TEST(Written, arithmetic_becomes_statements_and_equal_ones_are_one) {
    Writing writing(true);
    const Written x = writing.named("x"), y = writing.named("y"), one = written_constant(1), none;
    EXPECT_EQ(writing[(x + none) * one], "x");
    EXPECT_EQ(writing[x * none + y - none], "y");
    EXPECT_EQ(writing.text(), "");
    EXPECT_EQ(writing[x * y], writing[x * y]);
    EXPECT_EQ(writing[-x], writing[x * written_constant(-1)]);
    EXPECT_EQ(writing[lesser(x, x / y)], "v8");
    EXPECT_EQ(writing.text(),
              "    const real v4 = x * y;\n    const real v6 = -x;\n    const real v7 = x / y;\n"
              "    const real v8 = x < v7 ? x : v7;\n");
}

TEST(Written, a_root_of_a_subnormal_number_counts_as_0) {
    Writing writing(true);
    const Written x = writing.named("x");
    EXPECT_EQ(writing[written_rsqrt(x)], "v3");
    EXPECT_EQ(writing.text(), "    const real v3 = x < (0x1p-126f) ? 0 : RSQRT_OF_POSITIVE(x);\n");
}

}  // namespace trellis::far_graph_test
