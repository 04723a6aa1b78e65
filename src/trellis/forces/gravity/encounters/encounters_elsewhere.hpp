// Pairs of bodies of two ranks: each rank sends the bodies that may change the fastest encounter of another rank's.
#pragma once

#include <span>

#include "trellis/forces/gravity/encounters/encounter_search.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Replaces the encounters of the bodies of this rank's tree by those with bodies of all others that are faster.
// Collective.
void find_on_other_ranks(std::span<Encounter> encounters, const EncounterTree& tree, const EncounterSpace& space,
                         Comm& comm);

}  // namespace trellis
