#include "trellis/integrate/rungs/own_steps.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/integrate/rungs/rung.hpp"
#include "trellis/particles/motion.hpp"

namespace trellis {

using namespace fields;

namespace {

// A rung's step that ends at a share of the longest step, or later, and the part of it that has passed by then, both in
// longest steps.
struct RungStep {
    double length, passed;
};

// The steps of all rungs at this share of the longest step.
std::array<RungStep, deepest_rung + 1> rung_steps(double share) {
    std::array<RungStep, deepest_rung + 1> steps;
    double length = 1;
    for (RungStep& step : steps) {
        step = {length, share - length * (std::ceil(share / length) - 1)};
        length /= 2;
    }
    return steps;
}

std::size_t index_of(double rung) { return static_cast<std::size_t>(rung); }

}  // namespace

OwnSteps::OwnSteps(ParticleSet& particles, std::vector<Kick> kicks) : kicks_(std::move(kicks)) {
    for (const Kick& kick : kicks_) {
        FieldInfo info = particles.column(kick.value).info();
        info.name = held_.emplace_back("_held_" + kick.value);
        if (!particles.has(info.name)) particles.add(info);
    }
}

void OwnSteps::begin(const ParticleSet& particles) {
    const auto v = particles[velocity];
    begun_velocities_.assign(v.begin(), v.end());
    share_ = 0;
}

void OwnSteps::compute(ParticleSet& particles, std::span<const std::uint32_t> rows, double share,
                       const StepClock& clock, LevelForces& forces) {
    const double length = clock.step().length;
    predict(particles, share, length);
    if (share == 1) return;
    forces.compute_at_own_steps(particles, rows, clock.time_at(share), {length, (share - share_) * length});
    restore(particles);
    share_ = share;
}

// Predicts what is kicked, and before the end of the longest step takes it and positions there: positions are those at
// the ends of steps. What evolves is kicked by half of its step, and velocities at different times by different levels.
void OwnSteps::predict(ParticleSet& particles, double share, double length) {
    const auto rungs = std::as_const(particles)[rung];
    const auto x = particles[position], v = particles[velocity];
    const auto a = std::as_const(particles)[acceleration];
    auto* held = reinterpret_cast<Vec3<double>*>(particles.column(held_[0]).values());
    const auto steps = rung_steps(share);
    const bool taken = share < 1;
    const FreeRows free(particles);
    positions_.resize(particles.size());
    parallel_for(particles.size(), [&](std::size_t row) {
        const RungStep& step = steps[index_of(rungs[row])];
        held[row] = begun_velocities_[row];
        if (free[row]) held[row] += (length * step.passed) * a[row];
        if (!taken) return;
        positions_[row] = x[row];
        x[row] -= (length * (step.length - step.passed)) * v[row];
        std::swap(v[row], held[row]);
    });
    for (std::size_t k = 1; k < kicks_.size(); ++k) {
        Column& value = particles.column(kicks_[k].value);
        const Column& rate = particles.column(kicks_[k].rate);
        const std::size_t width = value.info().components;
        double* ahead = particles.column(held_[k]).values();
        const bool moves = is_motion(value.info());
        parallel_for(particles.size() * width, [&](std::size_t i) {
            const RungStep& step = steps[index_of(rungs[i / width])];
            ahead[i] = value.values()[i];
            if (!moves || free[i / width]) ahead[i] += length * (step.passed - 0.5 * step.length) * rate.values()[i];
            if (taken) std::swap(value.values()[i], ahead[i]);
        });
    }
}

// Takes what was predicted away again.
void OwnSteps::restore(ParticleSet& particles) const {
    const auto x = particles[position];
    parallel_for(particles.size(), [&](std::size_t row) { x[row] = positions_[row]; });
    for (std::size_t k = 0; k < kicks_.size(); ++k) {
        Column& kicked = particles.column(kicks_[k].value);
        double *shown = kicked.values(), *held = particles.column(held_[k]).values();
        parallel_for(particles.size() * kicked.info().components, [=](std::size_t i) { shown[i] = held[i]; });
    }
}

void OwnSteps::exchange(ParticleSet& particles) {
    for (std::size_t k = 0; k < kicks_.size(); ++k) {
        Column& kicked = particles.column(kicks_[k].value);
        double *shown = kicked.values(), *held = particles.column(held_[k]).values();
        parallel_for(particles.size() * kicked.info().components, [=](std::size_t i) { std::swap(shown[i], held[i]); });
    }
}

// Rows of deeper rungs were given the level's part of their acceleration at the beginning of its step.
void OwnSteps::before_kick(const ParticleSet& particles, std::span<const std::uint32_t> rows, unsigned rung,
                           double time) {
    const auto rungs = particles[fields::rung];
    const auto a = particles[acceleration];
    const FreeRows free(particles);
    parallel_for(rows.size(), [&](std::size_t k) {
        const std::uint32_t row = rows[k];
        if (free[row]) begun_velocities_[row] += (rungs[row] == rung ? time : -time) * a[row];
    });
}

void OwnSteps::after_kick(const ParticleSet& particles, std::span<const std::uint32_t> rows, double time) {
    const auto a = particles[acceleration];
    const FreeRows free(particles);
    parallel_for(rows.size(), [&](std::size_t k) {
        if (free[rows[k]]) begun_velocities_[rows[k]] += time * a[rows[k]];
    });
}

void OwnSteps::end(ParticleSet& particles, const StepClock& clock) const {
    const auto rungs = std::as_const(particles)[rung];
    const auto steps = rung_steps(1);
    const FreeRows free(particles);
    for (const Kick& kick : kicks_) {
        Column& kicked = particles.column(kick.value);
        const bool moves = is_motion(kicked.info());
        const Column& own = particles.column(kick.own_rate);
        const std::size_t width = kicked.info().components;
        parallel_for(particles.size() * width, [&](std::size_t i) {
            if (moves && !free[i / width]) return;
            const double share = steps[index_of(rungs[i / width])].length;
            if (share < 1) kicked.values()[i] -= 0.5 * (1 - share) * clock.step().length * own.values()[i];
        });
    }
}

RungTimes OwnSteps::times_at_end(const StepClock& clock) const {
    return {clock.step().length, (1 - share_) * clock.step().length};
}

}  // namespace trellis
