// What an interaction brings to advance systems by it: a table of it, as ordinary code sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trellis/devices/kernels.hpp"
#include "trellis/ensembles/kernels/system.hpp"
#include "trellis/particles/field.hpp"

namespace trellis {

// At most so many components have the fields of an interaction among the particles of systems.
inline constexpr std::size_t most_components = 24;

// The constants of the kernel.
struct SystemsCall {
    std::uint64_t systems = 0;       // their number
    std::uint64_t hamiltonians = 0;  // in which the energies of each system are wanted at the end: all of them, or 0
    std::uint64_t slots = 0;         // of the device: from one column to the next
    std::uint64_t columns = 0;       // their number
    std::uint64_t largest = 0;       // slots of the largest system
    std::uint64_t steps = 0;
    std::uint64_t every = 1;                         // steps from energies to energies, of which steps is a multiple
    std::uint64_t potentials = 0;                    // 1 if of the energies the potential ones alone are wanted
    std::uint64_t volumes = 0;                       // 1 if boxes change, and their volumes are wanted
    double shortest_side = 0;                        // of a box, beside two cutoffs of its interaction
    std::uint32_t columns_of[most_components] = {};  // the column of each component of the fields
};

// The kernel's memory, in this order.
enum class SystemMemory : std::size_t {
    systems,       // System
    changes,       // SystemChange, one for each system, made before the steps
    columns,       // double, for every slot
    ids,           // uint64, for every slot
    interactions,  // of each Hamiltonian
    containers,    // Container, of each Hamiltonian
    energies,      // SystemEnergies, of all systems after the first `every` steps, then after the next, ...; or, of
                   // potential ones alone, float: of the first system all samples, then of the next, ...; not a number
                   // if another energy is not finite
    in_all,        // double: potential energies of each system in each Hamiltonian at the end, if they are wanted
    volumes        // double: with each of the energies, if they are wanted; not a number of a box that is too small
};
inline constexpr std::size_t system_memories = 9;

// The name of the kernel of an interaction on devices.
inline std::string systems_kernel(const char* interaction) {
    std::string name = "systems ";
    name += interaction;
    return name;
}

struct SystemKernels {
    std::string name;               // of the kernel, on devices
    std::vector<FieldInfo> fields;  // that it reads; the first is the position
    std::size_t interaction_bytes = 0;
    double (*cutoff)(const void* interaction) = nullptr;  // infinite for an interaction of all pairs
    Kernel on_cpu = nullptr;
};

}  // namespace trellis
