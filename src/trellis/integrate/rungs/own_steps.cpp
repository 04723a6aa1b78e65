#include "trellis/integrate/rungs/own_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

using namespace fields;

namespace {

// The step of a rung, in longest steps.
double step_of(double rung) { return std::ldexp(1.0, -static_cast<int>(rung)); }

// The part of a step that ends at this share of the longest step, or later, that has passed by then.
double passed(double share, double step) { return share - step * (std::ceil(share / step) - 1); }

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
    exchange(particles);
    exchange_positions(particles);
    forces.compute_at_own_steps(particles, rows, clock.time_at(share), {length, (share - share_) * length});
    exchange_positions(particles);
    exchange(particles);
    share_ = share;
}

// Positions are drifted to the ends of steps. What evolves is kicked by half of its step, and velocities at different
// times by different levels.
void OwnSteps::predict(ParticleSet& particles, double share, double length) {
    const auto rungs = std::as_const(particles)[rung];
    const auto x = std::as_const(particles)[position], v = std::as_const(particles)[velocity];
    const auto a = std::as_const(particles)[acceleration];
    auto* predicted = reinterpret_cast<Vec3<double>*>(particles.column(held_[0]).values());
    positions_.resize(particles.size());
    parallel_for(particles.size(), [&](std::size_t row) {
        const double step = step_of(rungs[row]), time = passed(share, step);
        positions_[row] = x[row] - (length * (step - time)) * v[row];
        predicted[row] = begun_velocities_[row] + (length * time) * a[row];
    });
    for (std::size_t k = 1; k < kicks_.size(); ++k) {
        const Column &value = particles.column(kicks_[k].value), &rate = particles.column(kicks_[k].rate);
        const std::size_t width = value.info().components;
        double* ahead = particles.column(held_[k]).values();
        parallel_for(particles.size() * width, [&](std::size_t i) {
            const double step = step_of(rungs[i / width]), time = passed(share, step) - 0.5 * step;
            ahead[i] = value.values()[i] + length * time * rate.values()[i];
        });
    }
}

void OwnSteps::exchange(ParticleSet& particles) {
    for (std::size_t k = 0; k < kicks_.size(); ++k) {
        Column& shown = particles.column(kicks_[k].value);
        double* held = particles.column(held_[k]).values();
        parallel_for(particles.size() * shown.info().components,
                     [&](std::size_t i) { std::swap(shown.values()[i], held[i]); });
    }
}

void OwnSteps::exchange_positions(ParticleSet& particles) {
    const auto x = particles[position];
    parallel_for(particles.size(), [&](std::size_t row) { std::swap(x[row], positions_[row]); });
}

// Rows of deeper rungs were given the level's part of their acceleration at the beginning of its step.
void OwnSteps::before_kick(const ParticleSet& particles, std::span<const std::uint32_t> rows, unsigned rung,
                           double time) {
    const auto rungs = particles[fields::rung];
    const auto a = particles[acceleration];
    parallel_for(rows.size(), [&](std::size_t k) {
        const std::uint32_t row = rows[k];
        begun_velocities_[row] += (rungs[row] == rung ? time : -time) * a[row];
    });
}

void OwnSteps::after_kick(const ParticleSet& particles, std::span<const std::uint32_t> rows, double time) {
    const auto a = particles[acceleration];
    parallel_for(rows.size(), [&](std::size_t k) { begun_velocities_[rows[k]] += time * a[rows[k]]; });
}

void OwnSteps::end(ParticleSet& particles, const StepClock& clock) const {
    const auto rungs = std::as_const(particles)[rung];
    for (const Kick& kick : kicks_) {
        Column& kicked = particles.column(kick.value);
        const Column& own = particles.column(kick.own_rate);
        const std::size_t width = kicked.info().components;
        parallel_for(particles.size() * width, [&](std::size_t i) {
            const double share = step_of(rungs[i / width]);
            if (share < 1) kicked.values()[i] -= 0.5 * (1 - share) * clock.step().length * own.values()[i];
        });
    }
}

RungTimes OwnSteps::times_at_end(const StepClock& clock) const {
    return {clock.step().length, (1 - share_) * clock.step().length};
}

}  // namespace trellis
