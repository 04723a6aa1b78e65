// The interactions of systems that have a topology beside their pairs, in bytes: those of the pair interaction, and
// behind them the address of the topology.
#pragma once

#include <cstddef>
#include <vector>

#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/forces/bonded/topology.hpp"

namespace trellis {

// pair_bytes: the size of the pair interaction.
constexpr std::size_t offset_of_topology(std::size_t pair_bytes) {
    constexpr std::size_t alignment = alignof(const Topology*);
    return (pair_bytes + alignment - 1) / alignment * alignment;
}

// The kernels of systems with a topology beside this interaction. Throws InputError if it has none.
SystemKernels kernels_with_topology(const SystemKernels& of_pair);

// The interaction of a system with this topology, which must outlive the systems.
std::vector<std::byte> interaction_with_topology(std::vector<std::byte> of_pair, const Topology& topology);

// The topology of an interaction; null if the kernels know none.
const Topology* topology_of(const SystemKernels& kernels, const void* interaction);

}  // namespace trellis
