#include "trellis/integrate/langevin.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/base/philox.hpp"
#include "trellis/ranks/comm/exact_sum.hpp"

namespace trellis {

using namespace fields;

namespace {

std::uint32_t low(std::uint64_t bits) { return static_cast<std::uint32_t>(bits); }
std::uint32_t high(std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32); }

// Three normal numbers, independent and of variance 1 (Box & Muller 1958).
Vec3<double> normal_vector(std::uint64_t seed, std::uint64_t particle, std::uint64_t call) {
    const auto words = philox({low(particle), high(particle), low(call), high(call)}, {low(seed), high(seed)});
    const auto uniform = [&](std::size_t k) { return 0x1p-32 * (words[k] + 0.5); };  // neither 0 nor 1
    const auto radius = [](double u) { return std::sqrt(-2 * std::log(u)); };
    const double angle = 2 * std::numbers::pi * uniform(1), other_angle = 2 * std::numbers::pi * uniform(3);
    const double ring = radius(uniform(0));
    return {ring * std::cos(angle), ring * std::sin(angle), radius(uniform(2)) * std::cos(other_angle)};
}

}  // namespace

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
    const double kept = std::exp(-time / relaxation_time_);
    const double noise = std::sqrt(-std::expm1(-2 * time / relaxation_time_) * temperature_);
    given_.resize(particles.size());
    parallel_for(particles.size(), [&](std::size_t k) {
        const Vec3<double> before = v[k];
        v[k] = kept * before + (noise / std::sqrt(m[k])) * normal_vector(seed_, name[k], calls);
        given_[k] = 0.5 * m[k] * dot(before - v[k], before + v[k]);
    });
    bath_energy_ += exact_sum(comm, given_.size(), [&](std::size_t k) { return given_[k]; });
    if (!std::isfinite(bath_energy_))
        throw RunError("a thermostat met a particle whose mass or velocity cannot be used");
}

void Langevin::restore(std::span<const double> state) {
    if (state.size() != 1)
        throw InputError("the state of a Langevin thermostat has " + std::to_string(state.size()) +
                         " numbers, but must have 1");
    bath_energy_ = state[0];
}

}  // namespace trellis
