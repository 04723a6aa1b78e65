// The stages of steps, between which another kernel computes forces: what their kernel is launched with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trellis/base/gpu.hpp"
#include "trellis/base/isa.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/memory_use.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"

namespace trellis {

inline constexpr const char* stages_kernel = "systems in stages";

// Bits, in the order in which a launch goes through them. Behind begin and change forces of the systems are computed,
// behind propose and visit those of their trials, each where they are not known.
enum class Stage : std::uint64_t {
    change = 1,     // changes before the steps of a call
    changed = 2,    // with the forces of the Hamiltonians that systems have changed to
    end = 4,        // of a step
    propose = 8,    // trials: the systems with other volumes
    decide = 16,    // whether the systems become their trials
    sample = 32,    // energies
    begin = 64,     // of a step
    visited = 128,  // the energy in a Hamiltonian
    visit = 256     // trials: the systems in the next Hamiltonian
};
constexpr std::uint64_t operator|(std::uint64_t stages, Stage more) {
    return stages | static_cast<std::uint64_t>(more);
}

// The constants of the kernel.
struct StagesCall {
    SystemsCall systems;
    std::uint64_t stages = 0;       // bits
    std::uint64_t sample = 0;       // number of the sample, for Stage::sample
    std::uint64_t hamiltonian = 0;  // number of the next one for Stage::visit, behind that of Stage::visited
    std::uint64_t interactions = 0, stride = 0;  // see SmallSetsCall

    constexpr bool has(Stage stage) const { return (stages & static_cast<std::uint64_t>(stage)) != 0; }
};

// The kernel's memory, in this order; the first ones are those of SystemMemory.
enum class StageMemory : std::size_t {
    systems,
    changes,
    columns,
    ids,
    interactions,  // double: see forces/run_time/graphs/small_sets.hpp
    containers,
    energies,
    in_all,
    volumes,
    potentials,     // double: of every slot, with the last forces
    sets,           // SmallSet, one for each system
    trials,         // System: copies of systems, in other boxes or Hamiltonians
    trial_columns,  // as columns
    trial_sets      // SmallSet, one for each trial
};
inline constexpr std::size_t stage_memories = 14;

// The use of the kernel's memory.
void stages_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses);

// The kernel on the processor.
TRELLIS_DECLARE_VARIANTS(void run_stages(const KernelCall& call))

// Registers the kernel for GPUs, or for all devices. A second call changes nothing.
TRELLIS_DECLARE_FOR_GPUS(void register_stages())
void provide_stages();

}  // namespace trellis
