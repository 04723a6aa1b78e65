// The thermostat of a system: half of its action before a step, half of it after. For kernel sources only.
#pragma once

#include <cmath>
#include <span>

#include "trellis/base/normals.hpp"
#include "trellis/ensembles/kernels/system_motion.hpp"
#include "trellis/integrate/thermostats/collisions.hpp"
#include "trellis/integrate/thermostats/langevin_noise.hpp"
#include "trellis/integrate/thermostats/nose_hoover_chain.hpp"
#include "trellis/integrate/thermostats/velocity_rescaling.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

TRELLIS_HOST_DEVICE inline NoseHooverChain<double> chain_of(System& system) {
    return {system.freedom, system.temperature, system.relaxation_time,
            std::span<double>(system.chain_position, system.chain), std::span<double>(system.chain_rate, system.chain)};
}

// The total energy that the bath has taken.
TRELLIS_HOST_DEVICE inline double bath_energy(System& system) {
    return system.bath_energy + (system.bath == Bath::nose_hoover ? chain_of(system).energy() : 0.0);
}

// Friction and random kicks. call: the number of calls before this one, as for Thermostat::act.
template <class Columns>
TRELLIS_HOST_DEVICE void act_langevin(const Columns& columns, System& system, const LangevinShares& shares,
                                      std::uint64_t call) {
    using V = typename Columns::Value;
    typename Columns::Noise noise(columns, system.seed, call);
    system.bath_energy += 0.5 * columns.sum([&](std::size_t k) __attribute__((always_inline)) {
        const Vec3<V> kick = noise(k);
        const V m = columns.value(system_columns::mass, k);
        const V share = columns.of_particles(k, shares.noise / WordsOf<V>::root(m));
        V given{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const V before = columns.value(system_columns::velocity + axis, k);
            const V after = shares.kept * before + share * kick[axis];
            columns.put(system_columns::velocity + axis, k, after);
            given += (before - after) * (before + after);
        }
        return m * given;
    });
}

// Collisions with the bath, each of which gives a particle another velocity.
template <class Columns>
TRELLIS_HOST_DEVICE void act_andersen(const Columns& columns, System& system, double threshold, std::uint64_t call) {
    using V = typename Columns::Value;
    typename Columns::Noise chance(columns, system.seed, collision_call(call)), noise(columns, system.seed, call);
    const double root = std::sqrt(system.temperature);
    system.bath_energy += 0.5 * columns.sum([&](std::size_t k) __attribute__((always_inline)) {
        const Vec3<V> drawn = chance(k), kick = noise(k);
        const V hit = drawn.x * drawn.x + drawn.y * drawn.y, m = columns.value(system_columns::mass, k);
        const V speed = columns.of_particles(k, root / WordsOf<V>::root(m));
        V given{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const V before = columns.value(system_columns::velocity + axis, k);
            const V after = Columns::if_less(V{} + threshold, hit, speed * kick[axis], before);
            columns.put(system_columns::velocity + axis, k, after);
            given += (before - after) * (before + after);
        }
        return m * given;
    });
}

// A random factor of the velocities relative to the centre of mass.
template <class Columns>
TRELLIS_HOST_DEVICE void act_csvr(const Columns& columns, System& system, double time, std::uint64_t call) {
    const SystemMotion motion = own_motion(columns);
    const double factor = rescaling_factor(motion.kinetic, system.freedom, system.temperature, time,
                                           system.relaxation_time, system.seed, call);
    scale_own_motion(columns, motion.drift, factor);
    system.bath_energy += motion.kinetic * (1 - factor * factor);
}

// The thermostat of a system over half a step, for repeated use.
class HalfStepBath {
  public:
    TRELLIS_HOST_DEVICE explicit HalfStepBath(const System& system)
        : time_(0.5 * system.timestep), shares_(time_, system.temperature, system.relaxation_time) {}

    template <class Columns>
    TRELLIS_HOST_DEVICE void act(const Columns& columns, System& system, std::uint64_t call) const {
        if (system.bath == Bath::langevin) return act_langevin(columns, system, shares_, call);
        if (system.bath == Bath::andersen)
            return act_andersen(columns, system, collision_threshold(time_, system.relaxation_time), call);
        if (system.bath == Bath::csvr) return act_csvr(columns, system, time_, call);
        if (system.bath == Bath::nose_hoover) {
            const SystemMotion motion = own_motion(columns);
            scale_own_motion(columns, motion.drift, chain_of(system).advance(time_, motion.kinetic));
        }
    }

  private:
    double time_;
    LangevinShares shares_;
};

// Sets temperature and pressure, and multiplies velocities by a factor; the energy is added to the bath's account. The
// rates of the chain stay, as its masses follow the temperature: they keep their distribution.
template <class Columns>
TRELLIS_HOST_DEVICE void change_system(const Columns& columns, System& system, const SystemChange& change) {
    system.barostat.pressure = change.pressure;
    if (change.temperature == system.temperature && change.velocity_factor == 1) return;  // without rounding
    const double before = bath_energy(system) + kinetic_energy(columns);
    system.temperature = change.temperature;
    if (change.velocity_factor != 1) scale_velocities(columns, change.velocity_factor);
    system.bath_energy += before - bath_energy(system) - kinetic_energy(columns);
}

TRELLIS_ISA_END
}  // namespace trellis
