// Radial derivatives and responses that a graph computes, node by node for a vector of cells, and the interaction that
// has them, as expansions know it. For kernel sources only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "trellis/base/batch.hpp"
#include "trellis/forces/interaction.hpp"
#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/run_time/far_field/far_graph.hpp"
#include "trellis/forces/run_time/graphs/node_values.hpp"
#include "trellis/forces/run_time/graphs/stages.hpp"
#include "trellis/forces/tree/kernels/row_far_field.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The values of a graph's nodes, for the use of one thread.
template <class R>
class FarValues {
  public:
    FarValues(const FarGraph& far, const double* parameters)
        : far_(far), values_(far.graph.nodes.size()), response_(nodes_of({far.response()}, from_i)) {
        set_constants(parameters);
        GraphNodes outputs;
        for (std::size_t n = 0; n < far.derivatives(); ++n) {
            outputs.push_back(far.derivative(n));
            radial_.push_back(nodes_of(outputs, from_j));
        }
    }

    const FarHead& head() const { return far_.head; }
    std::size_t row_stride() const { return row_stride_of(far_.graph.components); }

    // The first N radial derivatives.
    template <int N>
    std::array<Vector<R>, N> radial(const Vector<R>& r2, const Vector<R>& unit2) {
        for (const std::uint32_t k : radial_[N - 1]) {
            const GraphNode& node = far_.graph.nodes[k];
            if (node.operation == Operation::of_j)
                store_unaligned<R>(node.number == 0 ? r2 : unit2, values_[k].of_lane.data());
            else
                evaluate<lanes<R>>(k);
        }
        std::array<Vector<R>, N> g;
        for (std::size_t n = 0; n < N; ++n) g[n] = load_unaligned<R>(values_[far_.derivative(n)].of_lane.data());
        return g;
    }

    // The response of an i-particle, by its row.
    R response(const R* row) {
        for (const std::uint32_t k : response_) {
            const GraphNode& node = far_.graph.nodes[k];
            if (node.operation == Operation::of_i)
                values_[k].of_lane[0] = row[place_in_row(node.number)];
            else
                evaluate<1>(k);
        }
        return values_[far_.response()].of_lane[0];
    }

  private:
    struct alignas(64) Lanes {
        std::array<R, lanes<R>> of_lane{};
    };

    // The nodes that outputs depend on and that read these particles.
    GraphNodes nodes_of(const GraphNodes& outputs, unsigned reads) const {
        return Stages(far_.graph, outputs).that_read(reads);
    }

    // Values that no particle decides, in double precision, then rounded.
    void set_constants(const double* parameters) {
        const auto& nodes = far_.graph.nodes;
        std::vector<double> exact(nodes.size());
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            if (nodes[k].reads != 0) continue;
            const auto [a, b, c] = nodes[k].args;
            exact[k] = nodes[k].is_constant()                       ? nodes[k].value
                       : nodes[k].operation == Operation::parameter ? parameters[nodes[k].number]
                                                                    : 0;
            evaluate_node<1>(far_.graph, nodes[k], &exact[a], &exact[b], &exact[c], &exact[k]);
            values_[k].of_lane.fill(static_cast<R>(exact[k]));
        }
    }

    template <std::size_t Count>
    void evaluate(std::uint32_t k) {
        const auto values = [&](std::uint32_t node) { return values_[node].of_lane.data(); };
        const auto [a, b, c] = far_.graph.nodes[k].args;
        evaluate_node<Count>(far_.graph, far_.graph.nodes[k], values(a), values(b), values(c), values(k));
    }

    const FarGraph& far_;
    std::vector<Lanes> values_;       // of each node
    const GraphNodes response_;       // the nodes of the response
    std::vector<GraphNodes> radial_;  // those of the first derivatives: 1, 2, ... of them
};

template <class R>
struct GraphField {
    using Target = Fields<Position, Mass>;  // not read: fields are known when the program runs
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration, Potential>;
    static constexpr bool strength_has_one_sign = false;

    FarValues<R>* values;

    // Not called: vectors alone are. See Expandable.
    template <int N>
    std::array<double, N> radial(double r2, double unit2) const;
    template <int N>
    std::array<Vector<R>, N> radial_of_vectors(const Vector<R>& r2, const Vector<R>& unit2) const {
        return values->template radial<N>(r2, unit2);
    }
};

template <class R>
struct FieldRows<GraphField<R>, R> {
    static std::size_t stride(const GraphField<R>& field) { return field.values->row_stride(); }
    static std::size_t results(const GraphField<R>& field) { return field.values->head().results; }
    static void add(const GraphField<R>& field, const R* row, const R*, const FieldValue<R>& value, R* results) {
        const FarHead& head = field.values->head();
        const R response = field.values->response(row);
        results[head.of_potential] += response * value.phi;
        for (std::size_t axis = 0; axis < 3; ++axis)
            results[head.first_of_acceleration + axis] -= response * value.gradient[axis];
    }
};

TRELLIS_ISA_END
}  // namespace trellis
