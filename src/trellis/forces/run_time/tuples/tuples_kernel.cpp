#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/run_time/graphs/node_values.hpp"
#include "trellis/forces/run_time/graphs/set_lists.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"
#include "trellis/forces/run_time/tuples/tuple_sets.hpp"
#include "trellis/forces/run_time/tuples/tuples_on_processor.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

constexpr std::size_t lanes = 16;  // tuples of a batch

class TuplesOfSets {
  public:
    TuplesOfSets(const TupleGraph& tuple, const KernelCall& call)
        : tuple_(tuple),
          graph_(tuple.graph),
          call_(call.get<TupleSetsCall>()),
          columns_(reinterpret_cast<double*>(call.memory[1])),
          potentials_(reinterpret_cast<double*>(call.memory[2])),
          lists_(reinterpret_cast<const SetLists*>(call.memory[3])),
          numbers_(reinterpret_cast<const std::uint32_t*>(call.memory[4])),
          values_(reinterpret_cast<const double*>(call.memory[5])) {}

    // Adds the tuples of a set in their order.
    void add(std::size_t number, const SmallSet& set) const {
        if (set.wanted == 0 || set.interaction >= call_.interactions) return;
        const SetLists& lists = lists_[(call_.graph * call_.sets + number) * call_.interactions + set.interaction];
        const std::uint64_t members = std::uint64_t{lists.tuples} * tuple_.members();
        if (!are_within(set.first, set.count, call_.rows) || !are_within(lists.first_member, members, call_.numbers) ||
            !are_within(lists.first_value, std::uint64_t{lists.tuples} * tuple_.values(), call_.values))
            return;
        const std::uint32_t* rows = numbers_ + lists.first_member;
        if (std::any_of(rows, rows + members, [&](std::uint32_t row) { return row >= set.count; })) return;
        std::vector<Lanes> nodes(graph_.nodes.size());
        set_constants(nodes);
        for (std::size_t first = 0; first < lists.tuples; first += lanes) {
            const Batch batch{set, rows + first * tuple_.members(),
                              values_ + lists.first_value + first * tuple_.values(),
                              std::min(lanes, lists.tuples - first)};
            evaluate(batch, nodes);
            for (std::size_t t = 0; t < batch.count; ++t) add_tuple(batch, t, nodes);
        }
    }

  private:
    using Lanes = std::array<double, lanes>;
    struct Batch {
        const SmallSet& set;
        const std::uint32_t* rows;  // of the members, tuple by tuple
        const double* values;
        std::size_t count;
    };

    double& column(const SmallSet& set, std::size_t c, std::size_t row) const {
        return columns_[c * call_.rows + set.first + row];
    }

    void set_constants(std::vector<Lanes>& nodes) const {
        for (std::size_t k = 0; k < graph_.nodes.size(); ++k)
            if (graph_.nodes[k].is_constant()) nodes[k].fill(graph_.nodes[k].value);
    }

    // Component c of what is given of a tuple: see tuple_graph.hpp.
    double given(const Batch& batch, std::size_t t, std::size_t c) const {
        const std::size_t steps = 3 * tuple_.steps();
        if (c >= steps) return batch.values[t * tuple_.values() + c - steps];
        const std::uint32_t* rows = batch.rows + t * tuple_.members() + c / 3;
        const std::size_t axis = c % 3, of_axis = call_.position + axis;
        const double d = column(batch.set, of_axis, rows[1]) - column(batch.set, of_axis, rows[0]);
        const double side = batch.set.box[axis];
        return side > 0 ? d - side * std::floor(d * (1 / side) + 0.5) : d;
    }

    // Open lanes have the last tuple.
    void evaluate(const Batch& batch, std::vector<Lanes>& nodes) const {
        for (std::size_t k = 0; k < graph_.nodes.size(); ++k) {
            const GraphNode& node = graph_.nodes[k];
            const auto [a, b, c] = node.args;
            if (node.operation == Operation::of_j)
                for (std::size_t t = 0; t < lanes; ++t)
                    nodes[k][t] = given(batch, std::min(t, batch.count - 1), node.number);
            else if (!node.is_constant())
                evaluate_node<lanes>(graph_, node, nodes[a].data(), nodes[b].data(), nodes[c].data(), nodes[k].data());
        }
    }

    // The forces of a tuple whose energy is not finite are no numbers: see forces/bonded/system_tuples.cpp.
    void add_tuple(const Batch& batch, std::size_t t, const std::vector<Lanes>& nodes) const {
        const auto outcome = [&](std::size_t c) { return nodes[graph_.results[c].value][t]; };
        const double energy = outcome(0), none = energy - energy;
        const double share = 2.0 / static_cast<double>(tuple_.members());
        for (std::size_t m = 0; m < tuple_.members(); ++m) {
            const std::uint32_t row = batch.rows[t * tuple_.members() + m];
            const double mass = column(batch.set, call_.mass, row);
            potentials_[batch.set.first + row] += share * energy / mass;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double next = m < tuple_.steps() ? outcome(1 + 3 * m + axis) : 0;
                const double last = m > 0 ? outcome(3 * m - 2 + axis) : 0;
                column(batch.set, call_.acceleration + axis, row) += ((next - last) + none) / mass;
            }
        }
    }

    const TupleGraph& tuple_;
    const PairGraph& graph_;
    const TupleSetsCall call_;
    double *columns_, *potentials_;
    const SetLists* lists_;
    const std::uint32_t* numbers_;
    const double* values_;
};

}  // namespace

TuplesOnProcessor tuples_on_processor(TupleGraph tuple) {
    return [tuple = std::move(tuple)](const KernelCall& call) {
        const auto* sets = reinterpret_cast<const SmallSet*>(call.memory[0]);
        const TuplesOfSets all(tuple, call);
        parallel_tasks(call.get<TupleSetsCall>().sets, [&](std::size_t k, int) { all.add(k, sets[k]); });
    };
}

TRELLIS_ISA_END
}  // namespace trellis
