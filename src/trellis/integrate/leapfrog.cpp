#include "trellis/integrate/leapfrog.hpp"

#include "trellis/base/parallel.hpp"

namespace trellis {

void kick(ParticleSet& particles, double time) {
    const auto v = particles[velocity];
    const auto a = particles[acceleration];
    parallel_for(particles.size(), [&](std::size_t k) { v[k] += time * a[k]; });
}

void drift(ParticleSet& particles, double time) {
    const auto x = particles[position];
    const auto v = particles[velocity];
    parallel_for(particles.size(), [&](std::size_t k) { x[k] += time * v[k]; });
}

}  // namespace trellis
