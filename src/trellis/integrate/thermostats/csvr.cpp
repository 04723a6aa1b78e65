#include "trellis/integrate/thermostats/csvr.hpp"

#include <array>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/integrate/thermostats/own_motion.hpp"
#include "trellis/integrate/thermostats/thermostat_values.hpp"
#include "trellis/integrate/thermostats/velocity_rescaling.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/ranks/comm/exact_sum.hpp"

namespace trellis {

using namespace fields;

Csvr::Csvr(double temperature, double relaxation_time, std::uint64_t seed, Axes axes)
    : temperature_(temperature), relaxation_time_(relaxation_time), seed_(seed), axes_(axes) {
    check_bath(temperature, relaxation_time);
}

void Csvr::check(const ParticleSet& particles, Comm& comm) const { check_rescaling(particles, comm, axes_); }

void Csvr::act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) {
    const OwnMotion motion = own_motion(particles, comm, axes_);
    if (!(motion.kinetic > 0)) throw RunError("a Csvr thermostat cannot act: all velocities are the same");
    const double factor =
        rescaling_factor(motion.kinetic, motion.freedom, temperature_, time, relaxation_time_, seed_, calls);
    scale_own_motion(particles, motion, factor);
    bath_energy_ += motion.kinetic * (1 - factor * factor);
}

void Csvr::restore(std::span<const double> state) { bath_energy_ = only_number("Csvr", state); }

void check_rescaling(const ParticleSet& particles, Comm& comm, Axes axes) {
    const OwnMotion motion = own_motion(particles, comm, axes);
    if (!(motion.kinetic > 0))
        throw InputError(
            "all velocities are the same, which Csvr cannot scale to a temperature: give velocities, or take Langevin"
            " or Andersen");
    if (!conserves_rotation(particles.region()) || any_rank(comm, fixed_count(particles) > 0)) return;
    const auto x = particles[position];
    const auto v = particles[velocity];
    const auto m = particles[mass];
    using Sums = std::array<double, 4>;
    const Sums of_mass = exact_sums<4>(comm, particles.size(), [&](std::size_t k) -> Sums {
        return {m[k], m[k] * x[k].x, m[k] * x[k].y, m[k] * x[k].z};
    });
    const Vec3<double> centre = Vec3<double>{of_mass[1], of_mass[2], of_mass[3]} / of_mass[0];
    const Sums turning = exact_sums<4>(comm, particles.size(), [&](std::size_t k) -> Sums {
        const Vec3<double> arm = x[k] - centre, speed = v[k] - motion.drift, turn = m[k] * cross(arm, speed);
        return {turn.x, turn.y, turn.z, m[k] * std::sqrt(dot(arm, arm) * dot(speed, speed))};
    });
    constexpr double rounding = 1e-9;
    const Vec3<double> whole{turning[0], turning[1], turning[2]};
    if (std::sqrt(dot(whole, whole)) <= rounding * turning[3])
        throw InputError(
            "the particles have no angular momentum about their centre of mass, which Csvr keeps so in open space:"
            " allowed there are Langevin and Andersen, and Csvr for particles that turn");
}

}  // namespace trellis
