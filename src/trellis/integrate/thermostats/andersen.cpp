#include "trellis/integrate/thermostats/andersen.hpp"

#include <cmath>
#include <utility>

#include "trellis/integrate/thermostats/collisions.hpp"
#include "trellis/integrate/thermostats/random_kicks.hpp"
#include "trellis/integrate/thermostats/thermostat_values.hpp"

namespace trellis {

Andersen::Andersen(double temperature, double relaxation_time, std::uint64_t seed, Axes axes)
    : temperature_(temperature), relaxation_time_(relaxation_time), seed_(seed), axes_(axes) {
    check_bath(temperature, relaxation_time);
}

void Andersen::act(ParticleSet& particles, double time, std::uint64_t calls, Comm& comm) {
    const double threshold = collision_threshold(time, relaxation_time_);
    const auto draw = [&](const std::uint64_t* ids) {
        std::pair<LangevinBlock, LangevinBlock> chance_and_kick;
        langevin_noise(seed_, ids, collision_call(calls), chance_and_kick.first);
        langevin_noise(seed_, ids, calls, chance_and_kick.second);
        return chance_and_kick;
    };
    const auto kick = [&](const auto& drawn, std::size_t lane, double m, const Vec3<double>& before) -> Vec3<double> {
        const auto& [chance, of_bath] = drawn;
        const double x = chance.axis[0][lane], y = chance.axis[1][lane];
        if (!(x * x + y * y > threshold)) return before;
        const Vec3<double> random{of_bath.axis[0][lane], of_bath.axis[1][lane], of_bath.axis[2][lane]};
        return axes_.changed(before, std::sqrt(temperature_ / m) * random);
    };
    bath_energy_ += kick_each(particles, comm, given_, draw, kick);
}

void Andersen::restore(std::span<const double> state) { bath_energy_ = only_number("Andersen", state); }

}  // namespace trellis
