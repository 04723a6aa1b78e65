#include "trellis/integrate/leapfrog.hpp"

#include "trellis/base/parallel.hpp"
#include "trellis/particles/motion.hpp"

namespace trellis {

using namespace fields;

void kick(ParticleSet& particles, double time) {
    const auto v = particles[velocity];
    const auto a = particles[acceleration];
    FreeRows(particles).for_each(particles.size(), [&](std::size_t k) { v[k] += time * a[k]; });
}

void kick(ParticleSet& particles, std::string_view value, std::string_view rate, double time) {
    Column& evolving = particles.column(value);
    double* values = evolving.values();
    const double* rates = particles.column(rate).values();
    const std::size_t width = evolving.info().components;
    const bool all = !is_motion(evolving.info());
    const FreeRows free(particles);
    parallel_for(particles.size() * width, [&](std::size_t k) {
        if (all || free[k / width]) values[k] += time * rates[k];
    });
}

void kick_and_drift(ParticleSet& particles, double kick_time, double drift_time) {
    const auto x = particles[position];
    const auto v = particles[velocity];
    const auto a = particles[acceleration];
    const FreeRows free(particles);
    parallel_for(particles.size(), [&](std::size_t k) {
        if (free[k]) v[k] += kick_time * a[k];
        x[k] += drift_time * v[k];
    });
}

}  // namespace trellis
