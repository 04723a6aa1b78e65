// Settings of a simulation that do not go together: each function throws an InputError that names them.
#pragma once

#include "trellis/forces/force.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

void check_evolution(const Evolution& evolution, const ParticleSet& particles, const Force& force);

inline constexpr const char* without_thermostat = "no thermostat: a pressure is held at a temperature";
inline constexpr const char* with_individual_steps = "particles have time steps of their own: allowed is one for all";
// For a barostat, which scales positions and the box. Collective.
void check_can_be_scaled(const ParticleSet& particles, Comm& comm);
void check_barostat_with(const Force& force);

[[noreturn]] void refuse_thermostat_in_expansion();
[[noreturn]] void refuse_order_4_in_expansion();
void check_expansion_with(const Force& force);

}  // namespace trellis
