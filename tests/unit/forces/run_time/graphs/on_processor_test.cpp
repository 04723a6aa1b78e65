// Each operation of a graph as the processor carries it out, against the functions of C++.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>

#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "unit/forces/run_time/graphs/written_graph.hpp"

namespace trellis::on_processor_test {

const std::vector<double> tables{5, 6, 7, 8};

// A graph that applies an operation to field 3 of i, of j, and of i again; conditions are made of these and become 1
// or 0.
std::vector<std::byte> graph_of(Operation operation) {
    WrittenGraph graph(1, 4, 1, tables, 0);
    const OperationInfo& info = graph_operations()[static_cast<std::size_t>(operation)];
    const std::uint32_t zero = graph.constant(0), one = graph.constant(1);
    const std::uint32_t fields[] = {graph.leaf(Operation::of_i, 3), graph.leaf(Operation::of_j, 3)};
    const std::uint32_t above[] = {graph.apply(Operation::less, {zero, fields[0]}),
                                   graph.apply(Operation::less, {zero, fields[1]})};
    const auto argument = [&](std::size_t k) { return info.takes[k] == 'c' ? above[k % 2] : fields[k % 2]; };
    std::uint32_t value = 0;
    if (operation == Operation::entry)
        value = graph.apply(operation, {1, fields[0]});
    else if (info.takes.size() == 1)
        value = graph.apply(operation, {argument(0)});
    else if (info.takes.size() == 2)
        value = graph.apply(operation, {argument(0), argument(1)});
    else
        value = graph.apply(operation, {argument(0), argument(1), argument(2)});
    if (info.gives == 'c') value = graph.apply(Operation::where, {value, one, zero});
    graph.result(ResultKind::sum, value);
    return graph.bytes({graph.apply(Operation::less, {zero, one})});
}

// The result of the processor for two numbers.
double outcome_of(Operation operation, double a, double b) {
    const GraphKernel kernel = pair_kernel(in_precision(graph_of(operation), sizeof(double)));
    std::vector<double> rows(2 * row_stride_of(4)), outcome(elements_of(1));
    rows[place_in_row(3)] = a;
    rows[row_stride_of(4) + place_in_row(3)] = b;
    ListedBlock block{0, 1, 1, 0, 0, 0};
    std::uint32_t entry = 1;
    std::vector<std::byte> constants(sizeof(std::uint64_t) + sizeof(double));
    const std::uint64_t elements = elements_of(1);
    std::memcpy(constants.data(), &elements, sizeof elements);
    std::byte* const memory[] = {reinterpret_cast<std::byte*>(rows.data()), reinterpret_cast<std::byte*>(&block),
                                 reinterpret_cast<std::byte*>(&entry), reinterpret_cast<std::byte*>(outcome.data())};
    kernel.text->on_processor({constants, memory});
    return outcome[0];
}

// Entry 1 behind the entry that a number names, of four.
double entry_behind(double number) {
    const double at = number + 1;
    return tables[at > 0 ? static_cast<std::size_t>(std::min(at, 3.0)) : 0];
}

TEST(OnProcessor, carries_out_each_operation) {
    using F = std::function<double(double, double)>;
    const std::map<Operation, F> expected{
        {Operation::add, [](double a, double b) { return a + b; }},
        {Operation::sub, [](double a, double b) { return a - b; }},
        {Operation::mul, [](double a, double b) { return a * b; }},
        {Operation::reciprocal, [](double a, double) { return 1 / a; }},
        {Operation::rsqrt, [](double a, double) { return a > 0 ? 1 / std::sqrt(a) : 0; }},
        {Operation::rsqrt_of_positive, [](double a, double) { return 1 / std::sqrt(a); }},
        {Operation::exp, [](double a, double) { return std::exp(a); }},
        {Operation::log, [](double a, double) { return std::log(a); }},
        {Operation::sin, [](double a, double) { return std::sin(a); }},
        {Operation::cos, [](double a, double) { return std::cos(a); }},
        {Operation::atan2, [](double a, double b) { return std::atan2(a, b); }},
        {Operation::abs, [](double a, double) { return std::abs(a); }},
        {Operation::minimum, [](double a, double b) { return std::min(a, b); }},
        {Operation::maximum, [](double a, double b) { return std::max(a, b); }},
        {Operation::less, [](double a, double b) { return a < b; }},
        {Operation::less_equal, [](double a, double b) { return a <= b; }},
        {Operation::equal, [](double a, double b) { return a == b; }},
        {Operation::both, [](double a, double b) { return a > 0 && b > 0; }},
        {Operation::either, [](double a, double b) { return a > 0 || b > 0; }},
        {Operation::negation, [](double a, double) { return !(a > 0); }},
        {Operation::where, [](double a, double b) { return a > 0 ? b : a; }},
        {Operation::floor, [](double a, double) { return std::floor(a); }},
        {Operation::erf, [](double a, double) { return std::erf(a); }},
        {Operation::erfc, [](double a, double) { return std::erfc(a); }},
        {Operation::tanh, [](double a, double) { return std::tanh(a); }},
        {Operation::entry, [](double a, double) { return entry_behind(a); }},
    };
    EXPECT_EQ(expected.size(), graph_operations().size() - 4) << "all but leaves";
    for (const auto& [operation, function] : expected)
        for (const double a : {-1e9, -2.5, -0.75, 0.0, 0.3, 1.0, 2.0, 2.9, 1e9})
            for (const double b : {-1.5, 0.0, 0.3, 2.0}) {
                const double value = outcome_of(operation, a, b), wanted = function(a, b);
                const std::string what = std::string(graph_operations()[static_cast<std::size_t>(operation)].name) +
                                         " of " + std::to_string(a) + " and " + std::to_string(b);
                if (std::isnan(wanted))
                    EXPECT_TRUE(std::isnan(value)) << what;
                else
                    EXPECT_DOUBLE_EQ(value, wanted) << what;
            }
}

}  // namespace trellis::on_processor_test
