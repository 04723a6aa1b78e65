#include "trellis/run/row_order.hpp"

#include <numeric>

#include "trellis/particles/box.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

namespace {

// Rows near in space are kept near in memory. Particles mix slowly, so this need not be done at every step; it depends
// on the number of the step alone, which keeps a resumed run the same bit for bit.
constexpr std::uint64_t steps_between_sorts = 64;

// Forces are right even if particles are not in their domains: the cells that other ranks import follow the particles.
// The first steps find the balance; later ones restore it if it is lost in between.
constexpr std::uint64_t steps_to_balance = 16, steps_between_distributions = 8;
constexpr double lost_balance = 1.1;

// The number of steps after which the lists of all forces are rebuilt.
std::uint64_t steps_of_lists(std::span<const std::shared_ptr<Force>> forces) {
    std::uint64_t cycle = 1;
    for (const auto& force : forces) cycle = std::lcm(cycle, std::uint64_t{force->reuse_steps()});
    return cycle;
}

// The distance from a periodic box, in its sides, at which positions are wrapped between two constructions of lists.
// The images that lists search are those near the particles, and periodic gravity reaches an eighth of the side.
constexpr double farthest_outside = 0.12;

bool any_far_outside(const ParticleSet& particles) {
    if (particles.size() == 0) return false;
    const Region& region = particles.region();
    const Extent extent = extent_of(particles[fields::position]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!region.periodic(axis)) continue;
        const double low = region.low[axis], high = region.high[axis], margin = farthest_outside * (high - low);
        if (extent.low[axis] < low - margin || extent.high[axis] > high + margin) return true;
    }
    return false;
}

// True on all ranks if a particle of any of them is far outside. Between sites, where no rank waits for all others at
// each step, lists are not rebuilt for it.
bool far_outside(const ParticleSet& particles, const Domains& domains) {
    return particles.region().periodic() && !domains.comm().spans_sites() &&
           any_rank(domains.comm(), any_far_outside(particles));
}

void wrap_positions(ParticleSet& particles, Phases& phases) {
    const PhaseTimer timer(phases, Phase::reorder_particles);
    particles.wrap_positions();
}

void sort_rows(ParticleSet& particles, Phases& phases) {
    const PhaseTimer timer(phases, Phase::reorder_particles);
    particles.check_finite(Position::name);
    Tree tree;
    Phases counted_as_reordering;
    {
        Workspace space;  // freed before columns are copied
        tree.build(particles[fields::position], static_cast<std::uint32_t>(particles.size()), space,
                   counted_as_reordering);
    }
    particles.permute(tree.order());
}

}  // namespace

bool RowOrder::arrange(ParticleSet& particles, std::span<const std::shared_ptr<Force>> forces, Domains& domains,
                       std::uint64_t number, bool may_reuse, Phases& phases) const {
    const std::uint64_t cycle = steps_of_lists(forces);
    const bool due = number < steps_to_balance || number % steps_between_distributions < cycle;
    const bool sort = number % steps_between_sorts == 0;
    const bool distribute =
        sort || !domains.distributed() || (number % cycle == 0 && (due || domains.imbalance() > lost_balance));
    const bool constructs = distribute || !may_reuse || number % cycle == 0;
    const bool rebuild = !constructs && far_outside(particles, domains);
    if (constructs || rebuild) wrap_positions(particles, phases);
    if (distribute) domains.distribute(particles, phases);
    if (sort && !(keep_ && domains.alone())) sort_rows(particles, phases);
    return distribute || rebuild;
}

}  // namespace trellis
