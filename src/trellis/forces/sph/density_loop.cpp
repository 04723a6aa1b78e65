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
    begin_searches(step);
    Work work;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        const bool all = sweep == 0 && step.active.all();
        if (!all) neighbourhood.lists().select(pending_, selection_);
        density_.begin(neighbourhood.lists(), particles, {}, phases, all ? nullptr : &selection_);
        share_failure(ranks, device_failure_of([&] {
                          work += density_.finish(neighbourhood.lists(), particles, NeighbourEvaluator::Sums::replace,
                                                  phases);
                      }));
        const Lengths found = advance(particles, step.active, ranks);
        if (found == Lengths::kept) return work;
        neighbourhood.follow(particles, lengths(particles), changed_, ranks, phases);
        if (found == Lengths::near) return work;
    }
    throw RunError("smoothing lengths with " + to_text(neighbours_) + " neighbours were not found in " +
                   std::to_string(most_sweeps) + " sweeps: the particles are too few, or too many are at one place");
}

void DensityLoop::begin_searches(const ForceStep& step) {
    predicted_ = elapsed_time(step) > 0;
    searches_.resize(pending_.size(), LengthSearch(shape_.dimensions));
    parallel_for(step.active.count(pending_.size()),
                 [&](std::size_t k) { searches_[step.active[k]] = LengthSearch(shape_.dimensions); });
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

struct DensityLoop::Columns {
    std::span<double> h, rho, slope;
    std::span<const double> curvature, m;
};

// Makes a step of each search that has not converged. Returns the farthest of all, on any rank.
DensityLoop::Lengths DensityLoop::advance(ParticleSet& particles, const ActiveRows& active, const Ranks* ranks) {
    changed_.assign(particles.size(), 0);
    const Columns columns{particles[smoothing_length], particles[density], particles[density_slope],
                          std::as_const(particles)[density_curvature], std::as_const(particles)[mass]};
    const auto farther = [](int a, int b) { return std::max(a, b); };
    const int here = parallel_reduce(
        active.count(particles.size()), 0,
        [&](std::size_t begin, std::size_t end) {
            int farthest = 0;
            for (std::size_t k = begin; k < end; ++k)
                if (pending_[active[k]] != 0)
                    farthest = farther(farthest, static_cast<int>(advance(columns, active[k])));
            return farthest;
        },
        farther);
    return static_cast<Lengths>(ranks == nullptr ? here : all_reduce(*ranks->comm, here, farther));
}

DensityLoop::Lengths DensityLoop::advance(const Columns& columns, std::uint32_t row) {
    double &h = columns.h[row], &rho = columns.rho[row], &slope = columns.slope[row];
    const double m = columns.m[row], filled = filling(shape_.dimensions, h, rho, m, neighbours_);
    const double omega_here = omega(shape_.dimensions, h, rho, slope);
    LengthSearch& search = searches_[row];
    pending_[row] = 0;
    if (search.converged(filled, omega_here)) return Lengths::kept;
    changed_[row] = 1;
    if (predicted_ && search.is_near(filled, omega_here)) {
        const DensityByLength summed{h, rho, slope, columns.curvature[row]};
        const DensityByLength found = solved_near(summed, shape_.dimensions, m, neighbours_);
        h = found.h;
        rho = found.rho;
        slope = found.slope;
        return Lengths::near;
    }
    pending_[row] = 1;
    h = search.next(h, filled, omega_here);
    return Lengths::far;
}

}  // namespace trellis
