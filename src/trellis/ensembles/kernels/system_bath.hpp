// The thermostat of a system: half of its action before a step, half of it after. For kernel sources only.
#pragma once

#include <cmath>
#include <span>

#include "trellis/base/vector_words.hpp"
#include "trellis/ensembles/kernels/system_columns.hpp"
#include "trellis/integrate/langevin_noise.hpp"
#include "trellis/integrate/nose_hoover_chain.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

inline NoseHooverChain<double> chain_of(System& system) {
    return {system.freedom, system.temperature, system.relaxation_time, std::span(system.chain_position, system.chain),
            std::span(system.chain_rate, system.chain)};
}

// What the bath has taken in all.
inline double bath_energy(System& system) {
    return system.bath_energy + (system.bath == Bath::nose_hoover ? chain_of(system).energy() : 0.0);
}

// Friction and random kicks. call: the number of calls before, as for Thermostat::act.
inline void act_langevin(const SystemColumns& columns, System& system, const LangevinShares& shares,
                         std::uint64_t call) {
    using V = Vector<double>;
    LangevinBlock noise;
    const double* mass = columns[system_columns::mass];
    system.bath_energy +=
        0.5 * sum_over_slots(system.slots, [&](std::size_t k) __attribute__((always_inline)) {
            const std::size_t lane = k % langevin_block;
            if (lane == 0) langevin_noise(system.seed, columns.ids + k, call, noise);
            const V m = load_unaligned(mass + k);
            const V share = blend<double>(less<double>(V{}, m), shares.noise / WordsOf<V>::root(m), V{});  // 0 if open
            V given{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                double* v = columns[system_columns::velocity + axis] + k;
                const V before = load_unaligned(v);
                const V after = shares.kept * before + share * load_unaligned(noise.axis[axis] + lane);
                store_unaligned<double>(after, v);
                given += (before - after) * (before + after);
            }
            return m * given;
        });
}

// The thermostat of a system over half a step, again and again.
class HalfStepBath {
  public:
    explicit HalfStepBath(const System& system)
        : time_(0.5 * system.timestep), shares_(time_, system.temperature, system.relaxation_time) {}

    void act(const SystemColumns& columns, System& system, std::uint64_t call) const {
        if (system.bath == Bath::langevin) return act_langevin(columns, system, shares_, call);
        if (system.bath == Bath::nose_hoover)
            scale_velocities(columns, system, chain_of(system).advance(time_, kinetic_energy(columns, system)));
    }

  private:
    double time_;
    LangevinShares shares_;
};

// A new temperature and pressure, and velocities times a factor; the bath books what that changes. The rates of the
// chain stay, as its masses follow the temperature: so they keep their distribution.
inline void change_system(const SystemColumns& columns, System& system, const SystemChange& change) {
    system.barostat.pressure = change.pressure;
    if (change.temperature == system.temperature && change.velocity_factor == 1) return;  // nor does rounding book
    const double before = bath_energy(system) + kinetic_energy(columns, system);
    system.temperature = change.temperature;
    if (change.velocity_factor != 1) scale_velocities(columns, system, change.velocity_factor);
    system.bath_energy += before - bath_energy(system) - kinetic_energy(columns, system);
}

TRELLIS_ISA_END
}  // namespace trellis
