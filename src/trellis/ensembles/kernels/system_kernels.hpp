// The kernels of an interaction that advance systems: a table, so that callers need no template.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trellis/devices/kernels.hpp"
#include "trellis/devices/memory_use.hpp"
#include "trellis/ensembles/kernels/system.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"
#include "trellis/particles/field.hpp"

namespace trellis {

// The largest number of components of an interaction's fields.
inline constexpr std::size_t most_components = 24;

// The constants of the kernel.
struct SystemsCall {
    std::uint64_t systems = 0;       // number of systems
    std::uint64_t hamiltonians = 0;  // number of Hamiltonians, in which each system is evaluated at the end, or 0
    std::uint64_t slots = 0;         // slots of the device: the stride from one column to the next
    std::uint64_t columns = 0;       // number of columns
    std::uint64_t largest = 0;       // slots of the largest system
    std::uint64_t steps = 0;
    std::uint64_t every = 1;                         // steps from sample to sample; divides steps
    std::uint64_t potentials = 0;                    // 1 if the samples are potential energies alone
    std::uint64_t volumes = 0;                       // 1 if boxes change, and volumes are sampled
    double shortest_side = 0;                        // lower limit of a box, beside two cutoffs of its interaction
    std::uint32_t columns_of[most_components] = {};  // column of each component of the fields
};

// The kernel's memory, in this order.
enum class SystemMemory : std::size_t {
    systems,       // System
    changes,       // SystemChange, one for each system, made before the steps
    columns,       // double, for every slot
    ids,           // uint64, for every slot
    interactions,  // one for each Hamiltonian
    containers,    // Container, one for each Hamiltonian
    energies,      // SystemEnergies, of all systems after the first `every` steps, then after the next, ...; or
                   // potential energies alone, float: all samples of the first system, then of the next, ...; NaN if
                   // another energy is not finite
    in_all,        // double: potential energy of each system in each Hamiltonian at the end, if requested
    volumes        // double: a volume for each sample, if requested; NaN once a box has become too small
};
inline constexpr std::size_t system_memories = 9;

// Writes the use of this memory, but of the interactions, which each kernel has in its own way. allowed: whether all
// that it alone requires of the constants is given. A system's own numbers are not known here.
inline void put_systems_uses(const SystemsCall& call, bool allowed, std::uint64_t containers,
                             std::span<MemoryUse> uses) {
    const auto put = [&](SystemMemory which, const MemoryUse& use) { uses[static_cast<std::size_t>(which)] = use; };
    allowed = allowed && call.every > 0 && call.slots >= system_slots && call.columns >= system_columns::others &&
              call.largest <= call.slots;
    const std::uint64_t samples = allowed ? size_product(call.steps / call.every, call.systems) : no_size;
    put(SystemMemory::systems, use_of<System>(allowed ? call.systems : no_size));
    put(SystemMemory::changes, use_of<SystemChange>(call.systems));
    put(SystemMemory::columns, use_of<double>(size_product(call.columns, call.slots)));
    put(SystemMemory::ids, use_of<std::uint64_t>(call.slots));
    put(SystemMemory::containers, use_of<Container>(containers));
    put(SystemMemory::energies, call.potentials != 0 ? use_of<float>(samples) : use_of<SystemEnergies>(samples));
    put(SystemMemory::in_all, use_of<double>(size_product(call.hamiltonians, call.systems)));
    if (call.volumes != 0) put(SystemMemory::volumes, use_of<double>(samples));
}

// The name of the kernel of an interaction on devices.
inline std::string systems_kernel(const char* interaction) {
    std::string name = "systems ";
    name += interaction;
    return name;
}

struct SystemKernels {
    std::string name;               // name of the kernel on devices
    std::vector<FieldInfo> fields;  // fields that it reads; the first is the position
    std::size_t interaction_bytes = 0;
    double (*cutoff)(const void* interaction) = nullptr;  // infinite for an interaction of all pairs
    Kernel on_cpu = nullptr;
    MemoryUses uses = nullptr;  // of the kernel's memory; null for one that no server may launch
    // The owner of what interactions point to: RunTimeSystem (run_time_system.hpp), and the topologies.
    std::shared_ptr<const void> owner = nullptr;
    // The kernel of systems that have a topology as well (ensembles/topology/with_topology.hpp); null for kernels
    // without.
    Kernel with_topology = nullptr;
    bool topology = false;  // on_cpu is that kernel
    // The interaction by its graph, for devices where its forces are a kernel of their own (ensembles/staged); null for
    // one that has none.
    SetsInteraction (*by_graph)(const void* interaction) = nullptr;
};

}  // namespace trellis
