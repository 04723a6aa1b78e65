#include "trellis/forces/tree/tolerances.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/tree/expansions/multi_index.hpp"
#include "trellis/lists/walk/many_cells.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"
#include "trellis/ranks/comm/collective.hpp"

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
// Infinite for no values.
double root_mean_square(const Squares& all) { return all.count > 0 ? std::sqrt(all.sum / all.count) : any_error; }

}  // namespace

Tolerances::Tolerances(const ForceChoice& choice, double coupling)
    : relative_(choice.criterion == Criterion::relative),
      per_acceleration_(choice.tolerance),
      coupling_(coupling),
      opening_(choice.opening) {}

Tolerances::Limits Tolerances::limits(std::span<const double> previous, PeriodicComplement* complement, Comm& comm,
                                      Phases& phases) const {
    if (!relative_) return {};
    if (complement == nullptr) return {share_in_open_space(opening_, per_acceleration_) / coupling_, 0};
    // Between sites both sums travel at the same time.
    AsyncReduction squares(comm, squares_of(previous), &added);
    const ReferenceForces forces = complement->forces(phases);
    return limits_in_box(root_mean_square(squares.finish()), forces);
}

Tolerances::Limits Tolerances::limits_of_level(std::span<const double> previous, const PeriodicComplement& complement,
                                               const ParticleSet& level, Comm& comm) const {
    if (!relative_) return {};
    struct Sums {
        Squares squares;
        double strength;
    };
    const Sums own{squares_of(previous), complement.strength_of(level)};
    const Sums all = all_reduce(comm, own, [](const Sums& a, const Sums& b) {
        return Sums{added(a.squares, b.squares), a.strength + b.strength};
    });
    return limits_in_box(root_mean_square(all.squares),
                         complement.forces_of(level.region(), all.strength, all.squares.count));
}

Tolerances::Limits Tolerances::limits_in_box(double mean_acceleration, const ReferenceForces& forces) const {
    const double share = share_in_box * per_acceleration_ / coupling_;
    const double factor = many_cells_in_box(opening_).factor(share * mean_acceleration / forces.within_reach);
    return {share * factor, least_of_neighbour * forces.of_neighbour};
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
