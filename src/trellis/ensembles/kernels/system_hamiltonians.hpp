// A system in other Hamiltonians, which differ by interaction and container: it changes to one, or its energy in one is
// computed. For kernel sources only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/ensembles/kernels/system_steps.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I>
struct Hamiltonians {
    const I* interactions;
    const Container* containers;
};

// From here on forces and potential energy are those of the new Hamiltonian; the difference is added to the bath's
// account. pairs_of(interaction, system, columns): the pairs of the system with this interaction.
template <class I, class Columns, class PairsOf>
TRELLIS_HOST_DEVICE void enter_hamiltonian(const Columns& columns, System& system, std::uint64_t number,
                                           const Hamiltonians<I>& all, const PairsOf& pairs_of) {
    const bool moved_before = system.forces_known != 0;
    const double before = system.potential;
    system.hamiltonian = number;
    system.container = all.containers[number];
    system.forces_known = 0;
    auto pairs = pairs_of(all.interactions[number], system, columns);
    update_forces(columns, system, pairs);
    if (moved_before) system.bath_energy += before - system.potential;
}

// Calls put(number, potential energy) for each of `hamiltonians` Hamiltonians. visitor: a copy of the system, which
// changes to the others.
template <class I, class Visitor, class PairsOf, class Put>
TRELLIS_HOST_DEVICE void potential_in_all(Visitor& visitor, const System& system, std::uint64_t hamiltonians,
                                          const Hamiltonians<I>& all, const PairsOf& pairs_of, const Put& put) {
    for (std::uint64_t number = 0; number < hamiltonians; ++number) {
        if (number != system.hamiltonian) enter_hamiltonian(visitor.columns, visitor.system, number, all, pairs_of);
        put(number, number == system.hamiltonian ? system.potential : visitor.system.potential);
    }
}

TRELLIS_ISA_END
}  // namespace trellis
