// The memory that the kernel of systems is launched with, by names. For kernel sources only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/ensembles/kernels/system_hamiltonians.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I>
struct SystemsMemory {
    System* systems;
    const SystemChange* changes;
    double* columns;
    const std::uint64_t* ids;
    Hamiltonians<I> all;
    SystemEnergies* energies;
    float* potentials;  // the same memory, if SystemsCall::potentials
    double *in_all, *volumes;

    explicit SystemsMemory(const KernelCall& call) {
        const auto set = [&]<class T>(T*& pointer, SystemMemory which) {
            pointer = reinterpret_cast<T*>(call.memory[static_cast<std::size_t>(which)]);
        };
        set(systems, SystemMemory::systems);
        set(changes, SystemMemory::changes);
        set(columns, SystemMemory::columns);
        set(ids, SystemMemory::ids);
        set(all.interactions, SystemMemory::interactions);
        set(all.containers, SystemMemory::containers);
        set(energies, SystemMemory::energies);
        set(potentials, SystemMemory::energies);
        set(in_all, SystemMemory::in_all);
        set(volumes, SystemMemory::volumes);
    }
};

TRELLIS_ISA_END
}  // namespace trellis
