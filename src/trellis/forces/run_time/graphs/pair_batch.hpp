// Pairs of a few i-particles with j-particles, a batch of pairs at a time. For kernel sources only.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/run_time/graphs/node_values.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class R>
class PairBatch {
  public:
    static constexpr std::size_t lanes = 256;  // pairs of a batch: each j-particle with each i-particle

    PairBatch(const PairGraph& graph, const double* parameters)
        : graph_(graph), values_(graph.nodes.size()), sums_(graph.results.size()) {
        std::vector<double> exact(graph.nodes.size());
        for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
            const GraphNode& node = graph.nodes[k];
            if (node.reads != 0) continue;
            const auto [a, b, c] = node.args;
            exact[k] = node.is_constant()                       ? node.value
                       : node.operation == Operation::parameter ? parameters[node.number]
                                                                : 0;
            evaluate_node<1>(graph, node, &exact[a], &exact[b], &exact[c], &exact[k]);
            values_[k].of_lane.fill(static_cast<R>(exact[k]));
        }
    }

    // Relative positions are those of nearest images in a box from now on. box: its sides, 0 along an axis without
    // them.
    void take_nearest_images(const double* box) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            side_[axis] = static_cast<R>(box[axis]);
            images_[axis] = box[axis] > 0 ? static_cast<R>(1 / box[axis]) : 0;
        }
    }

    // Begins with i-particles, 1 to `lanes` of them: row(i), and origin(i), to which positions are relative.
    template <class RowOf, class OriginOf>
    void begin(std::size_t count, const RowOf& row, const OriginOf& origin) {
        targets_ = count;
        each_lane([&](std::size_t n, std::size_t i) {
            const R* from = origin(i);
            for (std::size_t c = 0; c < 6; ++c) origin_[c].of_lane[n] = from[c];
        });
        evaluate([](const GraphNode& node) { return node.reads == from_i; },
                 [&](std::size_t component, std::array<R, lanes>& values) {
                     each_lane([&](std::size_t n, std::size_t i) { read(component, row(i), n, 1, values); });
                 });
        for (std::size_t c = 0; c < sums_.size(); ++c) sums_[c].of_lane.fill(no_pair(c));
    }

    // Adds the pairs with j-particles 0 to count - 1: row(j), and factor(i, j), by which a pair counts; 0: not at all.
    template <class RowOf, class FactorOf>
    void add(std::size_t count, const RowOf& row, const FactorOf& factor) {
        const std::size_t at_once = lanes / targets_;
        for (std::size_t first = 0; first < count; first += at_once) {
            const std::size_t now = std::min(at_once, count - first);
            factors_.of_lane.fill(0);
            for (std::size_t k = 0; k < now; ++k)
                for (std::size_t i = 0; i < targets_; ++i) factors_.of_lane[k * targets_ + i] = factor(i, first + k);
            evaluate([](const GraphNode& node) { return (node.reads & from_j) != 0; },
                     [&](std::size_t component, std::array<R, lanes>& values) {
                         for (std::size_t k = 0; k < now; ++k)
                             read(component, row(first + k), k * targets_, targets_, values);
                     });
            take();
        }
    }

    // The same with the factor 1.
    template <class RowOf>
    void add(std::size_t count, const RowOf& row) {
        add(count, row, [](std::size_t, std::size_t) { return R(1); });
    }

    // The same where j-particle `first` + i is i-particle i: each with all but itself.
    template <class RowOf>
    void add_others(std::size_t count, const RowOf& row, std::size_t first) {
        add(count, row, [first](std::size_t i, std::size_t j) { return R(first + i != j); });
    }

    // Component c of the outcome of i-particle i.
    R outcome(std::size_t i, std::size_t c) const {
        double all = no_pair(c);
        for (std::size_t n = i; n < lanes / targets_ * targets_; n += targets_)
            all = joined(graph_.results[c].kind, all, sums_[c].of_lane[n]);
        return finished(all, i, c);
    }

    // A sum over all pairs, or an extreme of them, as the outcome.
    R finished(double all, std::size_t i, std::size_t c) const {
        return static_cast<R>(graph_.factors ? all * values_[graph_.results[c].factor].of_lane[i] : all);
    }

    // Component c of the outcome of no pair.
    double no_pair(std::size_t c) const {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        const ResultKind kind = graph_.results[c].kind;
        return kind == ResultKind::sum ? 0 : kind == ResultKind::maximum ? -infinite : infinite;
    }

    // Two outcomes together.
    static double joined(ResultKind kind, double a, double b) {
        return kind == ResultKind::sum ? a + b : kind == ResultKind::maximum ? std::max(a, b) : std::min(a, b);
    }

  private:
    template <class T>
    struct alignas(64) LanesOf {
        std::array<T, lanes> of_lane{};
    };
    using Lanes = LanesOf<R>;

    // Calls visit(lane, its i-particle).
    template <class Visit>
    void each_lane(const Visit& visit) const {
        for (std::size_t n = 0, i = 0; n < lanes; ++n, i = i + 1 < targets_ ? i + 1 : 0) visit(n, i);
    }

    // Computes the nodes that are wanted, in their order; read_all(component, values) those that are fields.
    template <class Wanted, class Read>
    void evaluate(const Wanted& wanted, const Read& read_all) {
        for (std::size_t k = 0; k < graph_.nodes.size(); ++k) {
            const GraphNode& node = graph_.nodes[k];
            const auto [a, b, c] = node.args;
            if (!wanted(node)) continue;
            if (node.operation == Operation::of_i || node.operation == Operation::of_j) {
                read_all(node.number, values_[k].of_lane);
                if (node.number < 3) move_to_nearest(node.number, values_[k].of_lane);
            } else {
                evaluate_node<lanes>(graph_, node, values_[a].of_lane.data(), values_[b].of_lane.data(),
                                     values_[c].of_lane.data(), values_[k].of_lane.data());
            }
        }
    }

    // Writes a component of a row to some lanes.
    void read(std::size_t component, const R* row, std::size_t first, std::size_t count,
              std::array<R, lanes>& values) const {
        const R value = row[place_in_row(component)];
        if (component >= 3) {
            std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, value);
            return;
        }
        const R rest = row[component + 3];
        const auto &rounded = origin_[component].of_lane, &more = origin_[component + 3].of_lane;
        for (std::size_t n = first; n < first + count; ++n) values[n] = (value - rounded[n]) + (rest - more[n]);
    }

    void move_to_nearest(std::size_t axis, std::array<R, lanes>& values) const {
        const R side = side_[axis], images = images_[axis];
        if (side > 0)
            for (R& value : values) value -= side * std::floor(value * images + R(0.5));
    }

    // The sums take the pairs that count.
    void take() {
        if (graph_.short_range)
            for (std::size_t n = 0; n < lanes; ++n)
                factors_.of_lane[n] = values_[graph_.within].of_lane[n] != 0 ? factors_.of_lane[n] : R(0);
        for (std::size_t c = 0; c < sums_.size(); ++c) {
            const GraphResult& result = graph_.results[c];
            const auto take_in = [&](const auto& taken) {
                const R *factors = factors_.of_lane.data(), *of_pairs = values_[result.value].of_lane.data();
                double* sums = sums_[c].of_lane.data();
                for (std::size_t n = 0; n < lanes; ++n) {
                    const double sum = taken(sums[n], static_cast<double>(of_pairs[n]), factors[n]);
                    sums[n] = factors[n] != 0 ? sum : sums[n];
                }
            };
            if (result.kind == ResultKind::sum)
                take_in([](double sum, double value, double factor) { return sum + factor * value; });
            else
                take_in([&](double sum, double value, double) { return joined(result.kind, sum, value); });
        }
    }

    const PairGraph& graph_;
    std::vector<Lanes> values_;          // of each node
    std::vector<LanesOf<double>> sums_;  // of each component of the outcome
    std::array<Lanes, 6> origin_;
    Lanes factors_;
    std::array<R, 3> side_{}, images_{};  // of the box, and 1 / side; 0 along an axis without images
    std::size_t targets_ = 1;
};

TRELLIS_ISA_END
}  // namespace trellis
