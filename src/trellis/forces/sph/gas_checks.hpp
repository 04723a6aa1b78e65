// The checks of a gas's settings and particles.
#pragma once

#include <variant>

#include "trellis/forces/sph/sph_settings.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// True if the gravity that is softened adaptively has a softening of each particle, in its column.
inline bool softens_each(const SphSettings& settings) {
    return settings.adaptive_softening && !settings.adaptive_softening->softening;
}

inline bool isothermal(const SphSettings& settings) { return std::holds_alternative<IsothermalGas>(settings.gas); }

// Throws InputError, naming the first row whose value is not allowed, and for particles that are not spread over the
// dimensions of the gas. predicted: internal energies are, and may be below 0.
void check_gas(const ParticleSet& particles, const SphSettings& settings, bool predicted);

}  // namespace trellis
