#include "trellis/forces/sph/density_loop.hpp"

#include <algorithm>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/device_failure.hpp"
#include "trellis/forces/sph/first_lengths.hpp"
#include "trellis/forces/sph/kernels/density.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

constexpr int most_sweeps = 100;

Radii lengths(const ParticleSet& particles) { return Radii(particles[smoothing_length]); }

}  // namespace

DensityLoop::DensityLoop(const CompiledPairs& density, const SmoothingShape& shape, double neighbours,
                         Precision precision)
    : density_(density.kernels, density.interaction, precision), shape_(shape), neighbours_(neighbours) {}

Work DensityLoop::solve(ParticleSet& particles, NeighbourListCache& neighbourhood, const Ranks* ranks,
                        const ForceStep& step, Phases& phases) {
    predict(particles, elapsed_time(step));
    guess_lengths(particles, shape_.dimensions, neighbours_, phases);
    flag_rows(step.active, particles.size(), pending_);
    neighbourhood.prepare(
        particles, lengths(particles), ranks, step, phases,
        step.active.all() ? std::span<const std::uint8_t>() : std::span<const std::uint8_t>(pending_));
    begin_searches(step.active);
    Work work;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        const bool all = sweep == 0 && step.active.all();
        if (!all) neighbourhood.lists().select(pending_, selection_);
        density_.begin(neighbourhood.lists(), particles, {}, phases, all ? nullptr : &selection_);
        share_failure(ranks, device_failure_of([&] {
                          work += density_.finish(neighbourhood.lists(), particles, NeighbourEvaluator::Sums::replace,
                                                  phases);
                      }));
        if (!advance(particles, step.active, ranks)) return work;
        neighbourhood.follow(particles, lengths(particles), pending_, ranks, phases);
    }
    throw RunError("smoothing lengths with " + to_text(neighbours_) + " neighbours were not found in " +
                   std::to_string(most_sweeps) + " sweeps: the particles are too few, or too many are at one place");
}

void DensityLoop::begin_searches(const ActiveRows& active) {
    searches_.resize(pending_.size(), LengthSearch(shape_.dimensions));
    parallel_for(active.count(pending_.size()),
                 [&](std::size_t k) { searches_[active[k]] = LengthSearch(shape_.dimensions); });
}

// Densities follow the lengths: particles that are not active keep these, and those of all others are summed.
void DensityLoop::predict(ParticleSet& particles, double elapsed) const {
    const auto h = particles[smoothing_length], divergence = particles[velocity_divergence];
    const auto rho = particles[density], slope = particles[density_slope];
    parallel_for(particles.size(), [&](std::size_t row) {
        const double before = h[row];
        h[row] = predicted_length(shape_.dimensions, before, divergence[row], elapsed);
        if (h[row] == before) return;
        const double denser = power(before / h[row], shape_.dimensions);
        rho[row] *= denser;
        slope[row] *= denser * before / h[row];
    });
}

// Makes a step of each search that has not converged. True if any has not, on any rank.
bool DensityLoop::advance(ParticleSet& particles, const ActiveRows& active, const Ranks* ranks) {
    const auto h = particles[smoothing_length];
    const auto m = particles[mass], rho = particles[density], slope = particles[density_slope];
    parallel_for(active.count(particles.size()), [&](std::size_t k) {
        const std::uint32_t row = active[k];
        if (pending_[row] == 0) return;
        const double filled = filling(shape_.dimensions, h[row], rho[row], m[row], neighbours_);
        const double omega_here = omega(shape_.dimensions, h[row], rho[row], slope[row]);
        if (searches_[row].converged(filled, omega_here))
            pending_[row] = 0;
        else
            h[row] = searches_[row].next(h[row], filled, omega_here);
    });
    const bool any = std::ranges::find(pending_, 1) != pending_.end();
    return ranks == nullptr ? any : any_rank(*ranks->comm, any);
}

}  // namespace trellis
