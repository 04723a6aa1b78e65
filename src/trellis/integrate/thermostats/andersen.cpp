#include "trellis/integrate/thermostats/andersen.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/integrate/thermostats/collisions.hpp"
#include "trellis/integrate/thermostats/langevin_noise.hpp"
#include "trellis/integrate/thermostats/thermostat_values.hpp"
#include "trellis/ranks/comm/exact_sum.hpp"

namespace trellis {

using namespace fields;

Andersen::Andersen(double temperature, double relaxation_time, std::uint64_t seed)
    : temperature_(temperature), relaxation_time_(relaxation_time), seed_(seed) {
    check_bath(temperature, relaxation_time);
}

void Andersen::act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) {
    const auto v = particles[velocity];
    const auto m = particles[mass];
    const auto name = particles[id];
    const double threshold = collision_threshold(time, relaxation_time_);
    given_.resize(particles.size());
    const std::size_t blocks = (particles.size() + langevin_block - 1) / langevin_block;
    parallel_for(blocks, [&](std::size_t block) {
        const std::size_t first = block * langevin_block, count = std::min(langevin_block, particles.size() - first);
        std::uint64_t names[langevin_block] = {};
        std::copy_n(name.begin() + static_cast<std::ptrdiff_t>(first), count, names);
        LangevinBlock chance, kick;
        langevin_noise(seed_, names, collision_call(calls), chance);
        langevin_noise(seed_, names, calls, kick);
        for (std::size_t lane = 0; lane < count; ++lane) {
            const std::size_t k = first + lane;
            const double x = chance.axis[0][lane], y = chance.axis[1][lane];
            given_[k] = 0;
            if (!(x * x + y * y > threshold)) continue;
            const Vec3<double> before = v[k], of_bath{kick.axis[0][lane], kick.axis[1][lane], kick.axis[2][lane]};
            v[k] = std::sqrt(temperature_ / m[k]) * of_bath;
            given_[k] = 0.5 * m[k] * dot(before - v[k], before + v[k]);
        }
    });
    bath_energy_ += exact_sum(comm, given_.size(), [&](std::size_t k) { return given_[k]; });
    if (!std::isfinite(bath_energy_))
        throw RunError("a thermostat cannot act: masses must be above 0 and finite, velocities finite");
}

void Andersen::restore(std::span<const double> state) { bath_energy_ = only_number("Andersen", state); }

}  // namespace trellis
