#include "trellis/forces/tree/tolerances.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/tree/expansions/multi_index.hpp"
#include "trellis/lists/walk/many_cells.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"

namespace trellis {

namespace {

static_assert(highest_fitted_order == highest_order);

// In a periodic box forces cancel, and errors of many cells point the same way: a cell is allowed this share of its
// error in open space. The tolerance never falls below least_of_neighbour of the force of a neighbour
// (docs/periodic_gravity.md).
constexpr double share_in_box = 0.5, least_of_neighbour = 2e-7;

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
    double share =
        (in_box ? share_in_box * per_acceleration_ : share_in_open_space(opening_, per_acceleration_)) / coupling_;
    double least = 0;
    if (in_box) {
        // Between sites both sums travel at the same time.
        AsyncReduction squares(comm, squares_of(previous), &added);
        const ReferenceForces forces = complement->forces(phases);
        least = least_of_neighbour * forces.of_neighbour;
        const double allowed = share * mean_of(squares.finish());
        share *= many_cells_in_box(opening_).factor(allowed / forces.within_reach);
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
