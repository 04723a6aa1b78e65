#include "trellis/integrate/rungs/level.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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

void Level::note_others(const ParticleSet& all, std::span<const std::string> results) {
    others_.resize(results.size());
    for (std::size_t number = 0; number < results.size(); ++number) {
        Others& others = others_[number];
        others.result = results[number];
        const Column &whole = all.column(others.result), &own = particles_.particles().column(others.result);
        const std::size_t width = own.info().components;
        others.values.resize(rows().size() * width);
        parallel_for(others.values.size(), [&](std::size_t k) {
            others.values[k] = whole.values()[rows()[k / width] * width + k % width] - own.values()[k];
        });
    }
}

void Level::update(ParticleSet& all) const {
    for (const Others& others : others_) {
        Column& whole = all.column(others.result);
        const Column& own = particles_.particles().column(others.result);
        const std::size_t width = own.info().components;
        parallel_for(others.values.size(), [&](std::size_t k) {
            whole.values()[rows()[k / width] * width + k % width] = others.values[k] + own.values()[k];
        });
    }
}

double Level::step_by_others(const LevelForces& forces, double time) {
    ParticleSet& particles = particles_.particles();
    std::vector<std::uint32_t> all(rows().size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<double> steps(all.size(), std::numeric_limits<double>::infinity());
    const auto exchange = [&] {
        for (Others& others : others_)
            std::swap_ranges(others.values.begin(), others.values.end(), particles.column(others.result).values());
    };
    exchange();
    forces.allowed_steps(particles, time, all, steps);
    exchange();
    return steps.empty() ? std::numeric_limits<double>::infinity() : std::ranges::min(steps);
}

void Level::kick(ParticleSet& all, double time) const {
    const auto v = all[velocity];
    const auto own = particles_.particles()[acceleration];
    parallel_for(rows().size(), [&](std::size_t k) { v[rows()[k]] += time * own[k]; });
}

}  // namespace trellis
