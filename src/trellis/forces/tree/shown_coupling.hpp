// The coupling of an interaction that does not say it (no member coupling()), as its formulas show it.
#pragma once

#include <span>

#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Divides the errors that particles of this rank can bear in their acceleration by their coupling, acceleration *
// distance^2 / strength: that of a particle by far_field, and that of the potential by the largest value of radial at
// distances between the spacing of all ranks' particles and their extent. Without effect if the interaction says its
// coupling; else collective.
void divide_by_shown_coupling(const CompiledInteraction& interaction, const ParticleSet& particles, Comm& comm,
                              std::span<double> errors);

}  // namespace trellis
