#include "trellis/integrate/rungs/middle_kick.hpp"

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"

namespace trellis {

void MiddleKick::begin(const ParticleSet& particles, const std::vector<std::uint32_t>& rows) {
    if (particles.region().periodic())
        throw InputError("order is 4, but the region is periodic: allowed is open space");
    whole_.forget();
    whole_.choose(particles, rows, rows, true);
    displacements_.resize(particles.size());
}

std::uint64_t MiddleKick::act(ParticleSet& particles, Level* own, Level* below, double length, double time,
                              LevelForces& forces) {
    Level& level = own == nullptr ? whole_ : *own;
    level.compute(particles, forces, time);
    level.collect(particles, forces, false);
    const auto rows = level.rows();
    parallel_for(rows.size(), [&](std::size_t k) { displacements_[rows[k]] = {}; });
    const double factor = length * length / 24, kick = 2 * length / 3;
    level.add_accelerations(particles, factor, displacements_);
    if (below != nullptr) below->add_accelerations(particles, -factor, displacements_);
    level.kick_displaced(particles, displacements_, forces, time, kick);
    if (below != nullptr) below->kick_displaced(particles, displacements_, forces, time, -kick);
    return 2 * rows.size() + (below == nullptr ? 0 : below->rows().size());
}

}  // namespace trellis
