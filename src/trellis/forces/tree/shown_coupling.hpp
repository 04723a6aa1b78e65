// The coupling of an interaction that does not say it (no member coupling()), as its formulas show it.
#pragma once

#include <span>

#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Divides the errors that particles can bear in their acceleration by their coupling, acceleration * distance^2 /
// strength: that of a particle by far_field, and that of the potential by the largest value of radial at distances
// between the spacing of the particles and their extent. Without effect if the interaction says its coupling.
void divide_by_shown_coupling(const CompiledInteraction& interaction, const ParticleSet& particles,
                              std::span<double> errors);

}  // namespace trellis
