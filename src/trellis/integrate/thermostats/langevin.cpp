#include "trellis/integrate/thermostats/langevin.hpp"

#include <cmath>

#include "trellis/integrate/thermostats/random_kicks.hpp"
#include "trellis/integrate/thermostats/thermostat_values.hpp"

namespace trellis {

Langevin::Langevin(double temperature, double relaxation_time, std::uint64_t seed, Axes axes)
    : temperature_(temperature), relaxation_time_(relaxation_time), seed_(seed), axes_(axes) {
    check_bath(temperature, relaxation_time);
}

void Langevin::act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) {
    const LangevinShares shares(time, temperature_, relaxation_time_);
    const auto draw = [&](const std::uint64_t* ids) {
        LangevinBlock noise;
        langevin_noise(seed_, ids, calls, noise);
        return noise;
    };
    const auto kick = [&](const LangevinBlock& noise, std::size_t lane, double m, const Vec3<double>& before) {
        const Vec3<double> random{noise.axis[0][lane], noise.axis[1][lane], noise.axis[2][lane]};
        return axes_.changed(before, shares.kept * before + (shares.noise / std::sqrt(m)) * random);
    };
    bath_energy_ += kick_each(particles, comm, given_, draw, kick);
}

void Langevin::restore(std::span<const double> state) { bath_energy_ = only_number("Langevin", state); }

}  // namespace trellis
