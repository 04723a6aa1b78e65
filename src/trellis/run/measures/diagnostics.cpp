#include "trellis/run/measures/diagnostics.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <string_view>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/integrate/particle_in_words.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

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

// The sum of mass times a field that is an energy of a unit of mass; 0 without that field.
double energy_in(const ParticleSet& particles, std::string_view field) {
    if (!particles.has(field)) return 0;
    const auto m = particles[mass];
    const double* of_a_unit = particles.column(field).values();
    return sum_over(particles, 0.0, [&](std::size_t k) { return m[k] * of_a_unit[k]; });
}

struct WeightedPositions {
    double mass;
    Vec3<double> sum;  // m x

    Vec3<double> centre() const { return mass > 0 ? sum / mass : zero; }
    friend WeightedPositions operator+(const WeightedPositions& a, const WeightedPositions& b) {
        return {a.mass + b.mass, a.sum + b.sum};
    }
};

WeightedPositions weighted_positions(const ParticleSet& particles) {
    const auto m = particles[mass];
    const auto x = particles[position];
    return {sum_over(particles, 0.0, [&](std::size_t k) { return m[k]; }),
            sum_over(particles, zero, [&](std::size_t k) { return m[k] * x[k]; })};
}

}  // namespace

double kinetic_energy(const ParticleSet& particles) {
    const auto m = particles[mass];
    const auto v = particles[velocity];
    const FreeRows free(particles);
    return 0.5 * sum_over(particles, 0.0, [&](std::size_t k) { return free[k] ? m[k] * dot(v[k], v[k]) : 0; });
}

double potential_energy(const ParticleSet& particles) {
    const auto m = particles[mass];
    const auto phi = particles[potential];
    return 0.5 * sum_over(particles, 0.0, [&](std::size_t k) { return m[k] * phi[k]; });
}

double external_energy(const ParticleSet& particles) { return energy_in(particles, ExternalPotential::name); }

double total_internal_energy(const ParticleSet& particles) { return energy_in(particles, "internal_energy"); }

double total_isothermal_energy(const ParticleSet& particles) { return energy_in(particles, "isothermal_energy"); }

double total_virial(const ParticleSet& particles) {
    if (!particles.has(Virial::name)) return 0;
    const auto w = particles[virial];
    return 0.5 * sum_over(particles, 0.0, [&](std::size_t k) { return w[k]; });
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

Vec3<double> centre_of_mass(const ParticleSet& particles) { return weighted_positions(particles).centre(); }

std::string why_not_finite(const ParticleSet& particles, std::string_view field, double energy) {
    if (std::isfinite(energy) || !particles.has(field)) return "";
    const auto m = particles[mass];
    const double* of_a_unit = particles.column(field).values();
    for (std::size_t k = 0; k < particles.size(); ++k)
        if (!std::isfinite(m[k] * of_a_unit[k]))
            return "the " + std::string(field) + " of " + name_of(particles, k) + " is " + to_text(of_a_unit[k]) +
                   (m[k] == 0 ? ": its mass is 0, by which forces and energies are divided"
                              : nearest_neighbour(particles, k));
    return "";
}

double kinetic_energy(Comm& comm, const ParticleSet& particles) {
    return all_reduce(comm, kinetic_energy(particles), std::plus{});
}

double potential_energy(Comm& comm, const ParticleSet& particles) {
    return all_reduce(comm, potential_energy(particles), std::plus{});
}

double external_energy(Comm& comm, const ParticleSet& particles) {
    return all_reduce(comm, external_energy(particles), std::plus{});
}

double total_internal_energy(Comm& comm, const ParticleSet& particles) {
    return all_reduce(comm, total_internal_energy(particles), std::plus{});
}

double total_isothermal_energy(Comm& comm, const ParticleSet& particles) {
    return all_reduce(comm, total_isothermal_energy(particles), std::plus{});
}

double total_virial(Comm& comm, const ParticleSet& particles) {
    return all_reduce(comm, total_virial(particles), std::plus{});
}

double drift_energy(Comm& comm, const ParticleSet& particles) {
    const auto m = particles[mass];
    const auto v = particles[velocity];
    const FreeRows free(particles);
    const Vec3<double> own = sum_over(particles, zero, [&](std::size_t k) { return free[k] ? m[k] * v[k] : zero; });
    const double own_mass = sum_over(particles, 0.0, [&](std::size_t k) { return free[k] ? m[k] : 0; });
    const Vec3<double> whole = all_reduce(comm, own, std::plus{});
    const double weight = all_reduce(comm, own_mass, std::plus{});
    return weight > 0 ? dot(whole, whole) / (2 * weight) : 0;
}

Vec3<double> momentum(Comm& comm, const ParticleSet& particles) {
    return all_reduce(comm, momentum(particles), std::plus{});
}

Vec3<double> angular_momentum(Comm& comm, const ParticleSet& particles) {
    return all_reduce(comm, angular_momentum(particles), std::plus{});
}

Vec3<double> centre_of_mass(Comm& comm, const ParticleSet& particles) {
    return all_reduce(comm, weighted_positions(particles), std::plus{}).centre();
}

}  // namespace trellis
