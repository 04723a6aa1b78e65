#include "trellis/forces/gravity/encounters/encounter_limit.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/allowed_steps.hpp"
#include "trellis/forces/gravity/encounters/encounter_search.hpp"
#include "trellis/forces/gravity/encounters/encounters_elsewhere.hpp"
#include "trellis/tree/radix_sort.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

using namespace fields;

namespace {

// The active rows, along the Morton curve, as numbers from 0.
std::vector<std::uint32_t> sorted(std::span<const Vec3<double>> positions) {
    std::vector<KeyIndex> pairs(positions.size()), in_order(positions.size());
    const KeyMaker key(bounding_cube(positions));
    parallel_for(pairs.size(), [&](std::size_t k) { pairs[k] = {key(positions[k]), static_cast<std::uint32_t>(k)}; });
    SortSpace space;
    radix_sort(pairs, in_order, space);
    std::vector<std::uint32_t> order(pairs.size());
    parallel_for(order.size(), [&](std::size_t slot) { order[slot] = in_order[slot].index; });
    return order;
}

// The softenings of particles at a time.
class Softenings {
  public:
    Softenings(const GravitySoftening& softening, const ParticleSet& particles, double time) : time_(time) {
        if (const auto* one = std::get_if<ComovingSoftening>(&softening)) {
            one_ = *one;
        } else {
            one_.max_physical = std::get<SofteningOfEach>(softening).max_physical;
            of_rows_ = particles[fields::softening];
        }
    }

    double of(std::uint32_t row) const {
        return ComovingSoftening{of_rows_.empty() ? one_.comoving : of_rows_[row], one_.max_physical}.at(time_);
    }

  private:
    double time_;
    ComovingSoftening one_;
    std::span<const double> of_rows_;  // empty: one for all
};

// As long as the pair allows in the middle of the step, to first order: at most four times what it allows now, which
// steps of an eta below 0.28 do not reach.
double step_of(const Encounter& encounter, double eta) {
    const double now = std::sqrt(2 * eta / encounter.squared_rate), change = 0.5 * now * encounter.decline;
    return std::isfinite(change) ? now / (1 - std::min(change, 0.75)) : now;  // without a pair, or at one place
}

// One that allows a step above this one, as each that is slower does. In the middle of a step sqrt(2 eta / rate^2) the
// rate has changed by at most sqrt(2 eta) of it.
Encounter slow_enough(double step, double eta) {
    const double longest = step * (1 + std::sqrt(2 * eta));
    return {2 * eta / (longest * longest), 0};
}

}  // namespace

void EncounterLimit::allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* ranks,
                                   std::span<double> steps) const {
    const auto x = particles[position], v = particles[velocity];
    const auto m = particles[mass];
    std::vector<Vec3<double>> positions(steps.size());
    parallel_for(positions.size(), [&](std::size_t k) { positions[k] = x[rows[k]]; });
    const std::vector<std::uint32_t> order = sorted(positions);
    std::vector<Bodies> bodies(order.size());
    const Softenings softenings(softening_, particles, time);
    const double slower = space_ == Space::expanding ? 1 / std::sqrt(time) : 1;
    parallel_for(bodies.size(), [&](std::size_t slot) {
        const std::uint32_t row = rows[order[slot]];
        bodies[slot] = {x[row], {}, slower * v[row], {}, G_ * m[row], widening_of(softenings.of(row))};
    });
    const EncounterTree tree(bodies);
    const EncounterSpace space(particles.region());
    // Most pairs are slower than others, by whose limits steps are shorter already.
    const double scale = std::sqrt(eta_of_limits / eta_);
    std::vector<Encounter> encounters(order.size());
    parallel_for(order.size(),
                 [&](std::size_t slot) { encounters[slot] = slow_enough(steps[order[slot]] / scale, eta_); });
    find_faster(tree, space, encounters);
    if (ranks != nullptr && ranks->size() > 1) find_on_other_ranks(encounters, tree, space, *ranks);
    parallel_for(order.size(), [&](std::size_t slot) {
        double& step = steps[order[slot]];
        step = std::min(step, step_of(encounters[slot], eta_) * scale);
    });
}

}  // namespace trellis
