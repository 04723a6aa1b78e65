#include "trellis/integrate/thermostats/langevin.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/integrate/thermostats/langevin_noise.hpp"
#include "trellis/integrate/thermostats/thermostat_values.hpp"
#include "trellis/ranks/comm/exact_sum.hpp"

namespace trellis {

using namespace fields;

Langevin::Langevin(double temperature, double relaxation_time, std::uint64_t seed)
    : temperature_(temperature), relaxation_time_(relaxation_time), seed_(seed) {
    check_bath(temperature, relaxation_time);
}

void Langevin::act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) {
    const auto v = particles[velocity];
    const auto m = particles[mass];
    const auto name = particles[id];
    const LangevinShares shares(time, temperature_, relaxation_time_);
    given_.resize(particles.size());
    const std::size_t blocks = (particles.size() + langevin_block - 1) / langevin_block;
    parallel_for(blocks, [&](std::size_t block) {
        const std::size_t first = block * langevin_block, count = std::min(langevin_block, particles.size() - first);
        std::uint64_t names[langevin_block] = {};
        std::copy_n(name.begin() + static_cast<std::ptrdiff_t>(first), count, names);
        LangevinBlock noise;
        langevin_noise(seed_, names, calls, noise);
        for (std::size_t lane = 0; lane < count; ++lane) {
            const std::size_t k = first + lane;
            const Vec3<double> before = v[k], kick{noise.axis[0][lane], noise.axis[1][lane], noise.axis[2][lane]};
            v[k] = shares.kept * before + (shares.noise / std::sqrt(m[k])) * kick;
            given_[k] = 0.5 * m[k] * dot(before - v[k], before + v[k]);
        }
    });
    bath_energy_ += exact_sum(comm, given_.size(), [&](std::size_t k) { return given_[k]; });
    if (!std::isfinite(bath_energy_))
        throw RunError("a thermostat cannot act: masses must be above 0 and finite, velocities finite");
}

void Langevin::restore(std::span<const double> state) { bath_energy_ = only_number("Langevin", state); }

}  // namespace trellis
