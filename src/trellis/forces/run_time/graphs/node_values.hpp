// The value of a node of a graph, computed for many pairs at once. Conditions are 1 or 0. For kernel sources only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "trellis/base/isa.hpp"
#include "trellis/forces/run_time/graphs/pair_graph.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The entry of the tables that a number names, whatever number it is.
inline double entry_of(const PairGraph& graph, double number) {
    const auto last = static_cast<double>(graph.entries.size() - 1);
    return graph.entries[number > 0 ? static_cast<std::size_t>(std::min(number, last)) : 0];
}

// Computes Count values of a node that is no leaf, of those of its arguments. The texts of GPUs: statements.cpp.
template <std::size_t Count, class T>
void evaluate_node(const PairGraph& graph, const GraphNode& node, const T* __restrict a, const T* __restrict b,
                   const T* __restrict c, T* __restrict out) {
    const auto each = [&](const auto& value) {
        for (std::size_t n = 0; n < Count; ++n) out[n] = value(n);
    };
    const auto truth = [](bool condition) { return condition ? T(1) : T(0); };
    switch (node.operation) {
        case Operation::add:
            return each([&](std::size_t n) { return a[n] + b[n]; });
        case Operation::sub:
            return each([&](std::size_t n) { return a[n] - b[n]; });
        case Operation::mul:
            return each([&](std::size_t n) { return a[n] * b[n]; });
        case Operation::reciprocal:
            return each([&](std::size_t n) { return T(1) / a[n]; });
        case Operation::rsqrt:
            return each(
                [&](std::size_t n) { return a[n] < std::numeric_limits<T>::min() ? T(0) : T(1) / std::sqrt(a[n]); });
        case Operation::rsqrt_of_positive:
            return each([&](std::size_t n) { return T(1) / std::sqrt(a[n]); });
        case Operation::exp:
            return each([&](std::size_t n) { return std::exp(a[n]); });
        case Operation::log:
            return each([&](std::size_t n) { return std::log(a[n]); });
        case Operation::sin:
            return each([&](std::size_t n) { return std::sin(a[n]); });
        case Operation::cos:
            return each([&](std::size_t n) { return std::cos(a[n]); });
        case Operation::atan2:
            return each([&](std::size_t n) { return std::atan2(a[n], b[n]); });
        case Operation::erf:
            return each([&](std::size_t n) { return std::erf(a[n]); });
        case Operation::erfc:
            return each([&](std::size_t n) { return std::erfc(a[n]); });
        case Operation::tanh:
            return each([&](std::size_t n) { return std::tanh(a[n]); });
        case Operation::abs:
            return each([&](std::size_t n) { return std::abs(a[n]); });
        case Operation::minimum:
            return each([&](std::size_t n) { return b[n] < a[n] ? b[n] : a[n]; });
        case Operation::maximum:
            return each([&](std::size_t n) { return a[n] < b[n] ? b[n] : a[n]; });
        case Operation::less:
            return each([&](std::size_t n) { return truth(a[n] < b[n]); });
        case Operation::less_equal:
            return each([&](std::size_t n) { return truth(a[n] <= b[n]); });
        case Operation::equal:
            return each([&](std::size_t n) { return truth(a[n] == b[n]); });
        case Operation::both:
            return each([&](std::size_t n) { return a[n] * b[n]; });
        case Operation::either:
            return each([&](std::size_t n) { return std::max(a[n], b[n]); });
        case Operation::negation:
            return each([&](std::size_t n) { return T(1) - a[n]; });
        case Operation::where:
            return each([&](std::size_t n) { return a[n] != 0 ? b[n] : c[n]; });
        case Operation::floor:
            return each([&](std::size_t n) { return std::floor(a[n]); });
        case Operation::entry:
            return each([&](std::size_t n) {
                const double column = static_cast<double>(node.number) - graph.first_entry;
                return static_cast<T>(entry_of(graph, static_cast<double>(a[n] + static_cast<T>(column))));
            });
        case Operation::constant:
        case Operation::parameter:
        case Operation::of_i:
        case Operation::of_j:
            return;
    }
}

TRELLIS_ISA_END
}  // namespace trellis
