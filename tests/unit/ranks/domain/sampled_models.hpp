// Samples of the particle models, and regions to cut them in.
#pragma once

#include <algorithm>
#include <array>

#include "trellis/ranks/domain/cuts.hpp"
#include "unit/particle_models.hpp"

namespace trellis::models {

using namespace fields;

inline constexpr std::array one_to_thousand{1, 2, 3, 4, 5, 7, 8, 12, 17, 64, 1000};

// Open space, a box, and a box that is periodic along one axis.
inline constexpr std::array regions{
    Region{}, Region{{-1, -1, -1}, {1, 1, 1}},
    Region{{-Region::infinity, -1, -Region::infinity}, {Region::infinity, 1, Region::infinity}}};

inline ParticleSet on_a_plane(std::size_t size, std::uint64_t seed) {
    Random random(seed);
    return particles_at(size, seed,
                        [&](std::size_t) { return Vec3<double>{random.uniform(0, 1), 0.5, random.uniform(0, 1)}; });
}

// All particles as samples of weight 1.
inline std::vector<Sample> samples_of(const ParticleSet& particles, const Region& region) {
    std::vector<Sample> samples;
    for (const Vec3<double>& place : particles[position]) samples.push_back({region.wrapped(place), 1});
    return samples;
}

inline Multisection cut_for(const ParticleSet& particles, int ranks, const Region& region) {
    auto samples = samples_of(particles, region);
    const Shape shape = best_shape(ranks, spread(samples));
    return cut(std::move(samples), shape, region);
}

// The largest weight of a rank divided by the mean.
inline double imbalance(const Multisection& cuts, const std::vector<Sample>& samples) {
    std::vector<double> loads(static_cast<std::size_t>(cuts.shape().ranks));
    double sum = 0;
    for (const Sample& sample : samples) {
        loads[static_cast<std::size_t>(cuts.owner(sample.position))] += sample.weight;
        sum += sample.weight;
    }
    return std::ranges::max(loads) / (sum / cuts.shape().ranks);
}

}  // namespace trellis::models
