// The coupling of an interaction that does not say it (no member coupling()), as its formulas show it.
#pragma once

#include <span>
#include <vector>

#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// The largest field of a source of strength 1 times the square of the distance, between the spacing of a number of
// particles and their extent, the geometric mean of whose distances to the centre is the radius.
double largest_coupling(const CompiledInteraction& interaction, double radius, double particles);

// The acceleration of each particle in a field of gradient 1.
std::vector<double> responses_of_rows(const CompiledInteraction& interaction, const ParticleSet& particles);

// Divides the errors that particles of this rank can bear in their acceleration by their coupling, acceleration *
// distance^2 / strength: that of a particle by far_field, and that of the potential by the largest value of radial at
// distances between the spacing of all ranks' particles and their extent. Without effect if the interaction says its
// coupling; else collective.
void divide_by_shown_coupling(const CompiledInteraction& interaction, const ParticleSet& particles, Comm& comm,
                              std::span<double> errors);

}  // namespace trellis
