#include "trellis/forces/tree/tolerances.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/parallel.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"

namespace trellis {

namespace {

// In a periodic box forces cancel, and errors of many cells point the same way: a cell is allowed this share of its
// error in open space. The tolerance never falls below least_of_neighbour of the force of a neighbour
// (docs/periodic_gravity.md).
constexpr double share_in_box = 0.5, least_of_neighbour = 2e-7;

// In a periodic box the number of cells whose errors add up grows as t^(-3/(3+q)) when the tolerance t of a cell
// shrinks, where its error is as the q-th power of its size over its distance. Below a share of the force of all matter
// within reach, t is divided by that growth. Superparticles' errors add up at larger tolerances than those of local
// expansions; those of the first order do so in open space, too, below an accuracy (bench/notes/periodic.md).
struct ManyCells {
    double in_box, in_open_space, exponent;

    // The factor of a tolerance that is this share of the one below which errors of many cells add up.
    double factor(double share) const { return share < 1 ? std::pow(share, exponent / (1 - exponent)) : 1; }
};
ManyCells many_cells(const Opening& opening) {
    if (opening.receiver == Receiver::cell) return {6.5e-6, 0, 3.0 / 8};
    return {2e-3, opening.order == 1 ? 7e-4 : 0, 3.0 / (4 + opening.order)};
}

struct Squares {
    double sum, count;
};
Squares squares_of(std::span<const double> values) {
    Squares all{0, static_cast<double>(values.size())};
    for (const double value : values) all.sum += value * value;
    return all;
}
Squares added(const Squares& a, const Squares& b) { return {a.sum + b.sum, a.count + b.count}; }
// The root mean square; infinite for no values.
double mean_of(const Squares& all) { return all.count > 0 ? std::sqrt(all.sum / all.count) : any_error; }

}  // namespace

Tolerances::Tolerances(const ForceChoice& choice, double coupling)
    : relative_(choice.criterion == Criterion::relative),
      per_acceleration_(choice.tolerance),
      coupling_(coupling),
      opening_(choice.opening) {}

Tolerances::Limits Tolerances::limits(std::span<const double> previous, PeriodicComplement* complement, Comm& comm,
                                      Phases& phases) const {
    if (!relative_) return {};
    const bool in_box = complement != nullptr;
    double share = per_acceleration_ * (in_box ? share_in_box : 1) / coupling_;
    double least = 0;
    const ManyCells many = many_cells(opening_);
    if (in_box) {
        // Between sites both sums travel at the same time.
        AsyncReduction squares(comm, squares_of(previous), &added);
        const ReferenceForces forces = complement->forces(phases);
        least = least_of_neighbour * forces.of_neighbour;
        const double allowed = share * mean_of(squares.finish());
        share *= many.factor(allowed / (many.in_box * forces.within_reach));
    } else if (many.in_open_space > 0) {
        share *= many.factor(per_acceleration_ / many.in_open_space);
    }
    return {share, least};
}

std::span<double> Tolerances::of_rows(std::span<const double> previous, const Limits& limits,
                                      ListedTree& listed) const {
    if (!relative_) return {};
    const std::span<double> tolerance = listed.room_for_tolerances(previous.size());
    parallel_for(tolerance.size(),
                 [&](std::size_t row) { tolerance[row] = std::max(limits.least, limits.share * previous[row]); });
    return tolerance;
}

}  // namespace trellis
