#include "trellis/integrate/langevin.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/integrate/langevin_noise.hpp"
#include "trellis/ranks/comm/exact_sum.hpp"

namespace trellis {

using namespace fields;

Langevin::Langevin(double temperature, double relaxation_time, std::uint64_t seed)
    : temperature_(temperature), relaxation_time_(relaxation_time), seed_(seed) {
    if (!(temperature >= 0 && std::isfinite(temperature)))
        throw InputError("the temperature of a thermostat is " + to_text(temperature) + ": allowed is 0 or more");
    if (!(relaxation_time > 0 && std::isfinite(relaxation_time)))
        throw InputError("the relaxation time of a thermostat is " + to_text(relaxation_time) + ": allowed is above 0");
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

void Langevin::restore(std::span<const double> state) {
    if (state.size() != 1)
        throw InputError("the state of a Langevin thermostat has " + std::to_string(state.size()) +
                         " numbers, but must have 1");
    bath_energy_ = state[0];
}

}  // namespace trellis
