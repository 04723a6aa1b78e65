// Random changes of velocities, particle by particle, and the energy that a bath takes by them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/integrate/thermostats/langevin_noise.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/exact_sum.hpp"

namespace trellis {

// Changes all velocities but those of fixed particles, with the same bits for any number of ranks and threads.
// Collective. draw(ids): the random numbers, of any type, of langevin_block particles with these ids; kick(numbers,
// lane, mass, velocity): the new velocity of the particle in that lane. given: memory. Returns the energy that all
// particles give to the bath. Throws RunError if it is not finite.
template <class Draw, class Kick>
double kick_each(ParticleSet& particles, Comm& comm, std::vector<double>& given, const Draw& draw, const Kick& kick) {
    const auto v = particles[fields::velocity];
    const auto m = particles[fields::mass];
    const auto name = particles[fields::id];
    const FreeRows free(particles);
    given.resize(particles.size());
    const std::size_t blocks = (particles.size() + langevin_block - 1) / langevin_block;
    parallel_for(blocks, [&](std::size_t block) {
        const std::size_t first = block * langevin_block, count = std::min(langevin_block, particles.size() - first);
        std::uint64_t ids[langevin_block] = {};
        std::copy_n(name.begin() + static_cast<std::ptrdiff_t>(first), count, ids);
        const auto numbers = draw(ids);
        for (std::size_t lane = 0; lane < count; ++lane) {
            const std::size_t k = first + lane;
            const Vec3<double> before = v[k];
            if (free[k]) v[k] = kick(numbers, lane, m[k], before);
            given[k] = 0.5 * m[k] * dot(before - v[k], before + v[k]);
        }
    });
    const double energy = exact_sum(comm, given.size(), [&](std::size_t k) { return given[k]; });
    if (!std::isfinite(energy))
        throw RunError("a thermostat cannot act: masses must be above 0 and finite, velocities finite");
    return energy;
}

}  // namespace trellis
