// An interaction of long range that is the gradient of a potential, in a periodic cube: the images that no list has.
#pragma once

#include <memory>

#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/forces/tree/periodic/periodic_complement.hpp"

namespace trellis {

// Null for an interaction without a field (InteractionKernels::field_of_source). accuracy: of forces, for which the sum
// over images must converge (PotentialLattice).
std::shared_ptr<PeriodicComplement> images_of_potential(const CompiledInteraction& interaction, double accuracy);

}  // namespace trellis
