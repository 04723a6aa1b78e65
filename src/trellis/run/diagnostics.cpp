#include "trellis/run/diagnostics.hpp"

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

// The sum of value(k) over all particles.
template <class T, class Value>
T sum_over(const ParticleSet& particles, T zero, Value value) {
    return parallel_reduce(
        particles.size(), zero,
        [&](std::size_t begin, std::size_t end) {
            T sum = zero;
            for (std::size_t k = begin; k < end; ++k) sum += value(k);
            return sum;
        },
        [](const T& a, const T& b) { return a + b; });
}

constexpr Vec3<double> zero{0, 0, 0};

}  // namespace

double kinetic_energy(const ParticleSet& particles) {
    const auto m = particles[mass];
    const auto v = particles[velocity];
    return 0.5 * sum_over(particles, 0.0, [&](std::size_t k) { return m[k] * dot(v[k], v[k]); });
}

double potential_energy(const ParticleSet& particles) {
    const auto m = particles[mass];
    const auto phi = particles[potential];
    return 0.5 * sum_over(particles, 0.0, [&](std::size_t k) { return m[k] * phi[k]; });
}

Vec3<double> momentum(const ParticleSet& particles) {
    const auto m = particles[mass];
    const auto v = particles[velocity];
    return sum_over(particles, zero, [&](std::size_t k) { return m[k] * v[k]; });
}

Vec3<double> angular_momentum(const ParticleSet& particles) {
    const auto m = particles[mass];
    const auto x = particles[position];
    const auto v = particles[velocity];
    return sum_over(particles, zero, [&](std::size_t k) { return m[k] * cross(x[k], v[k]); });
}

Vec3<double> centre_of_mass(const ParticleSet& particles) {
    const auto m = particles[mass];
    const auto x = particles[position];
    const double total = sum_over(particles, 0.0, [&](std::size_t k) { return m[k]; });
    return total > 0 ? sum_over(particles, zero, [&](std::size_t k) { return m[k] * x[k]; }) / total : zero;
}

}  // namespace trellis
