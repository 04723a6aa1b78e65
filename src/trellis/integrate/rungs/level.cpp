#include "trellis/integrate/rungs/level.hpp"

#include <cmath>
#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

using namespace fields;

bool Level::choose(const ParticleSet& all, std::vector<std::uint32_t> rows) {
    const bool others = particles_.choose(all, std::move(rows)) || !known_;
    if (others) particles_.gather(all);
    return others;
}

void Level::compute(const ParticleSet& all, LevelForces& forces, double time) {
    particles_.gather(all, Position::name);
    previous_.resize(rows().size());
    const auto a = all[acceleration];
    parallel_for(previous_.size(), [&](std::size_t k) {
        const Vec3<double>& whole = a[rows()[k]];
        previous_[k] = std::sqrt(dot(whole, whole));
    });
    forces.compute(particles_.particles(), previous_, time);
    known_ = true;
}

void Level::note_others(const ParticleSet& all) {
    others_.resize(rows().size());
    const auto whole = all[acceleration];
    const auto own = std::as_const(particles_).particles()[acceleration];
    parallel_for(others_.size(), [&](std::size_t k) { others_[k] = whole[rows()[k]] - own[k]; });
}

void Level::update(ParticleSet& all) const {
    const auto whole = all[acceleration];
    const auto own = particles_.particles()[acceleration];
    parallel_for(others_.size(), [&](std::size_t k) { whole[rows()[k]] = others_[k] + own[k]; });
}

void Level::kick(ParticleSet& all, double time) const {
    const auto v = all[velocity];
    const auto own = particles_.particles()[acceleration];
    parallel_for(rows().size(), [&](std::size_t k) { v[rows()[k]] += time * own[k]; });
}

}  // namespace trellis
