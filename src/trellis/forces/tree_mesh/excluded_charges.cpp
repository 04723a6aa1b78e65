#include "trellis/forces/tree_mesh/excluded_charges.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "trellis/forces/tree_mesh/kernels/charge.hpp"

namespace trellis {

namespace {

// parameters: coupling, softening squared. Components of a pair: the step, factor - 1, both charges.
void take_back(const double* parameters, const double* pair, double* outcome, std::size_t count) {
    const double coupling = parameters[0], softening2 = parameters[1];
    for (std::size_t t = 0; t < count; ++t) {
        const auto at = [&](std::size_t c) { return pair[c * tuples_at_once + t]; };
        const double r2 = at(0) * at(0) + at(1) * at(1) + at(2) * at(2) + softening2;
        const double energy = coupling * at(3) * at(4) * at(5) / std::sqrt(r2);
        outcome[t] = energy;
        for (std::size_t axis = 0; axis < 3; ++axis) outcome[(1 + axis) * tuples_at_once + t] = -energy / r2 * at(axis);
    }
}

}  // namespace

TuplePotential excluded_charges(std::span<const ExcludedPair> pairs, double softening, double coupling) {
    auto function = std::make_shared<TupleFunction>();
    function->name = "excluded charges";
    function->evaluate = take_back;
    function->parameters = {coupling, softening * softening};
    function->values = 1;
    function->columns = {Charge::name};
    std::vector<std::uint64_t> members;
    for (const ExcludedPair& pair : Exclusions(pairs).pairs()) {
        members.insert(members.end(), {pair.one, pair.other});
        function->of_each_tuple.push_back(pair.factor - 1);
    }
    return {std::make_shared<TupleList>(std::move(members), 2), std::move(function)};
}

}  // namespace trellis
