// Graphs on the processor by the loops of a compiler, which here are functions of C++.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/forces/run_time/loops/loop_compiler.hpp"
#include "trellis/forces/run_time/run_time_force.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "unit/forces/run_time/graphs/written_graph.hpp"

namespace trellis::compiled_loops_test {

const std::vector<double> tables{1, 2, 3, 4, 5, 6, 7, 8};
constexpr std::size_t components = 5, listed = 1500;

// Field 3 of i times field 4 of j, which all pairs add up.
std::vector<std::byte> product(std::uint32_t first_entry) {
    WrittenGraph graph(1, components, 2, tables, first_entry);
    const std::uint32_t zero = graph.constant(0), one = graph.constant(1);
    const std::uint32_t i = graph.leaf(Operation::of_i, 3), j = graph.leaf(Operation::of_j, 4);
    graph.result(ResultKind::sum, graph.apply(Operation::mul, {i, j}));
    return graph.bytes({graph.apply(Operation::less, {zero, one})});
}

// Adds three times the products, all to one lane.
void add(const double* target, std::size_t target_stride, std::size_t targets, const double* source,
         std::size_t source_stride, std::size_t sources, double* sums, std::size_t first) {
    const std::size_t lanes = run_time_machine().vector_bytes / sizeof(double);
    for (std::size_t i = 0; i < targets; ++i)
        for (std::size_t j = 0; j < sources; ++j)
            if (first + j != i) sums[i * lanes] += 3 * target[3 * target_stride + i] * source[4 * source_stride + j];
}

constexpr std::size_t none = 1000;

void add_pairs(const void* context, const double* target, std::size_t target_stride, std::size_t targets,
               const double* source, std::size_t source_stride, std::size_t sources, double* sums) {
    const auto* values = static_cast<const double*>(context);
    const auto* floats = static_cast<const float*>(context);
    EXPECT_EQ(std::vector<double>(values, values + 2), (std::vector<double>{11, 12}));
    for (std::size_t k = 0; k < tables.size(); ++k) {
        EXPECT_EQ(values[8 + k], tables[k]);
        EXPECT_EQ(floats[8 + k], tables[k]);
    }
    add(target, target_stride, targets, source, source_stride, sources, sums, none);
}

void add_own(const void* /*context*/, const double* target, std::size_t target_stride, std::size_t targets,
             const double* source, std::size_t source_stride, std::size_t sources, double* sums, std::size_t first) {
    add(target, target_stride, targets, source, source_stride, sources, sums, first);
}

LoopAddresses compiled(std::span<const std::byte> /*graph*/, std::size_t /*value_bytes*/) {
    return {reinterpret_cast<std::uintptr_t>(&add_pairs), reinterpret_cast<std::uintptr_t>(&add_own)};
}

class CompiledLoops : public testing::Test {
  protected:
    ~CompiledLoops() override { provide_loop_compiler({}); }

    // The outcome of a block of two particles, with each other and with those of a list.
    static std::vector<double> outcome(std::uint32_t first_entry) {
        const GraphKernel kernel = pair_kernel(in_precision(product(first_entry), sizeof(double)));
        const std::size_t stride = row_stride_of(components);
        std::vector<double> rows((2 + listed) * stride), found(elements_of(1));
        for (std::size_t k = 0; k < 2 + listed; ++k) {
            rows[k * stride + place_in_row(3)] = static_cast<double>(k + 1);
            rows[k * stride + place_in_row(4)] = static_cast<double>(k % 7);
        }
        ListedBlock block{0, 2, listed, 0, 0, 0};
        std::vector<std::uint32_t> entries;
        for (std::uint32_t k = 0; k < listed; ++k) entries.push_back(2 + k);
        const std::uint64_t elements = elements_of(1);
        const double parameters[] = {11, 12};
        std::vector<std::byte> constants(sizeof elements + sizeof parameters);
        std::memcpy(constants.data(), &elements, sizeof elements);
        std::memcpy(constants.data() + sizeof elements, parameters, sizeof parameters);
        std::byte* const memory[] = {reinterpret_cast<std::byte*>(rows.data()), reinterpret_cast<std::byte*>(&block),
                                     reinterpret_cast<std::byte*>(entries.data()),
                                     reinterpret_cast<std::byte*>(found.data())};
        kernel.text->on_processor({constants, memory});
        return {found[0], found[1]};
    }
};

TEST_F(CompiledLoops, take_the_place_of_nodes) {
    const std::vector<double> by_nodes = outcome(8);
    provide_loop_compiler(compiled);
    EXPECT_EQ(outcome(8), (std::vector<double>{3 * by_nodes[0], 3 * by_nodes[1]}));
}

TEST_F(CompiledLoops, are_not_given_tables_in_any_other_place) {
    const std::vector<double> by_nodes = outcome(8);
    provide_loop_compiler(compiled);
    for (const std::uint32_t first_entry : {0U, 7U, 9U, 1U << 30}) EXPECT_EQ(outcome(first_entry), by_nodes);
}

}  // namespace trellis::compiled_loops_test
