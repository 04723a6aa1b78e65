// A system in other Hamiltonians, which differ by interaction and container: it enters one, or its energy there is
// wanted. For kernel sources only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/workspace.hpp"
#include "trellis/ensembles/kernels/system_columns.hpp"
#include "trellis/ensembles/kernels/system_copy.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/ensembles/kernels/system_steps.hpp"
#include "trellis/ensembles/kernels/tile_pairs.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I>
struct Hamiltonians {
    const I* interactions;
    const Container* containers;
};

// The forces and the potential energy are those of the new one from here on; the bath books what that changes.
template <class I>
void enter_hamiltonian(const SystemColumns& columns, System& system, std::uint64_t number, const Hamiltonians<I>& all,
                       const SystemsCall& call, Workspace& workspace) {
    const bool moved_before = system.forces_known != 0;
    const double before = system.potential;
    system.hamiltonian = number;
    system.container = all.containers[number];
    system.forces_known = 0;
    TilePairs<I> pairs(all.interactions[number], system, columns, call.columns_of, workspace);
    update_forces(columns, system, pairs);
    if (moved_before) system.bath_energy += before - system.potential;
}

// Writes the potential energy in each Hamiltonian. The system stays as it is: a copy of it visits the others.
template <class I>
void potential_in_all(const SystemColumns& columns, const System& system, const Hamiltonians<I>& all,
                      const SystemsCall& call, Workspace& workspace, double* energies) {
    SystemCopy visitor(columns, system, call.columns);
    for (std::uint64_t number = 0; number < call.hamiltonians; ++number) {
        if (number != system.hamiltonian)
            enter_hamiltonian(visitor.columns, visitor.system, number, all, call, workspace);
        energies[number] = number == system.hamiltonian ? system.potential : visitor.system.potential;
    }
}

TRELLIS_ISA_END
}  // namespace trellis
