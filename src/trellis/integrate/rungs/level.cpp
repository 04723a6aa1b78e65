#include "trellis/integrate/rungs/level.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

using namespace fields;

bool Level::choose(const ParticleSet& all, std::vector<std::uint32_t> rows, const LevelForces& forces) {
    const bool others = particles_.choose(all, std::move(rows)) || !known_;
    if (!others) return false;
    if (forces.costs().among_level > 0) {
        particles_.gather(all);
    } else {
        for (const std::string& result : forces.results()) particles_.gather(all, result);
    }
    return true;
}

void Level::compute(const ParticleSet& all, LevelForces& forces, double time, bool own_steps) {
    particles_.gather(all, Position::name);
    previous_.resize(rows().size());
    const auto a = all[acceleration];
    parallel_for(previous_.size(), [&](std::size_t k) {
        const Vec3<double>& whole = a[rows()[k]];
        previous_[k] = std::sqrt(dot(whole, whole));
    });
    forces.compute(particles_.particles(), previous_, time);
    if (own_steps) forces.add_at_own_steps(all, rows(), particles_.particles());
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

double Level::step_by_others(const LevelForces& forces, double time, double scale) {
    ParticleSet& particles = particles_.particles();
    std::vector<double> steps(rows().size(), std::numeric_limits<double>::infinity());
    const auto exchange = [&] {
        for (Others& others : others_)
            std::swap_ranges(others.values.begin(), others.values.end(), particles.column(others.result).values());
    };
    exchange();
    forces.allowed_steps_of_level(particles, time, scale, steps);
    exchange();
    return steps.empty() ? std::numeric_limits<double>::infinity() : std::ranges::min(steps);
}

void Level::kick(ParticleSet& all, std::span<const Evolution> kicks, double time) const {
    for (const Evolution& kick : kicks) {
        Column& kicked = all.column(kick.value);
        const Column& own = particles_.particles().column(kick.rate);
        const std::size_t width = kicked.info().components;
        parallel_for(rows().size(), [&](std::size_t k) {
            for (std::size_t c = 0; c < width; ++c)
                kicked.values()[rows()[k] * width + c] += time * own.values()[k * width + c];
        });
    }
}

void Level::add_accelerations(double factor, std::span<Vec3<double>> sums) const {
    const auto a = particles_.particles()[acceleration];
    parallel_for(rows().size(), [&](std::size_t k) { sums[rows()[k]] += factor * a[k]; });
}

void Level::kick_displaced(ParticleSet& all, std::span<const Vec3<double>> displacements, LevelForces& forces,
                           double time, double kick) {
    ParticleSet& own = particles_.particles();
    for (const std::string& result : forces.results()) own_results_.add(result);
    own_results_.save(own);
    const auto x = own[position];
    parallel_for(rows().size(), [&](std::size_t k) { x[k] += displacements[rows()[k]]; });
    forces.compute(own, previous_, time);
    this->kick(all, forces.kicks(), kick);
    own_results_.restore(own);
}

}  // namespace trellis
