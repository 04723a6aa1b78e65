// The time steps that forces allow.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/force.hpp"
#include "trellis/particles/motion.hpp"

namespace trellis {

// The accuracy eta of the steps that forces allow (Springel 2005, equation 34).
inline constexpr double eta_of_limits = 0.025;

// Returns an eta; throws InputError for one that no steps have.
inline double checked_eta(double eta) {
    if (!(eta > 0 && std::isfinite(eta))) throw InputError("eta is " + to_text(eta) + ": allowed is above 0");
    return eta;
}

// Chosen steps grow gradually, as the leapfrog's accuracy requires, since their limit may jump up when its cause is
// gone: by this factor from one to the next. They begin as this share of the limit, since a gas at rest does not yet
// show how fast it is going to be.
inline constexpr double step_growth = 1.1, first_share = 0.1;

// Lowers steps[k] to step(row), where that is less, for the k-th active row: see Force::allowed_steps.
template <class Step>
void lower_steps(const ActiveRows& rows, std::span<double> steps, const Step& step) {
    parallel_for(steps.size(), [&](std::size_t k) { steps[k] = std::min(steps[k], step(rows[k])); });
}

// For forces that change velocities alone, which those of fixed particles are not: they limit no step.
inline void release_fixed(const ParticleSet& particles, const ActiveRows& rows, std::span<double> steps) {
    if (!particles.has(Fixed::name)) return;
    const FreeRows free(particles);
    parallel_for(steps.size(), [&](std::size_t k) {
        if (!free[rows[k]]) steps[k] = std::numeric_limits<double>::infinity();
    });
}

// The step that all of the forces allow all particles of this rank, which begins at `time`; infinite if none limits it.
// ranks: see Force::allowed_steps.
inline double allowed_step(std::span<const std::shared_ptr<Force>> forces, const ParticleSet& particles, double time,
                           Comm* ranks = nullptr) {
    constexpr double unlimited = std::numeric_limits<double>::infinity();
    std::vector<double> steps(particles.size(), unlimited);
    bool any_evolves = false;
    for (const auto& force : forces) {
        force->allowed_steps(particles, time, {}, ranks, steps);
        any_evolves |= !force->evolves().empty();
    }
    if (!any_evolves) release_fixed(particles, {}, steps);
    return parallel_reduce(
        steps.size(), unlimited,
        [&](std::size_t begin, std::size_t end) {
            return *std::min_element(steps.begin() + static_cast<std::ptrdiff_t>(begin),
                                     steps.begin() + static_cast<std::ptrdiff_t>(end));
        },
        [](double a, double b) { return std::min(a, b); });
}

}  // namespace trellis
