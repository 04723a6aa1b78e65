// Compiles an interaction for the instruction set of the including source, into the table that ensembles work with.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <typeinfo>

#include "trellis/base/parallel.hpp"
#include "trellis/ensembles/kernels/system_columns.hpp"
#include "trellis/ensembles/kernels/system_copy.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/ensembles/kernels/system_memory.hpp"
#include "trellis/ensembles/kernels/system_steps.hpp"
#include "trellis/ensembles/kernels/system_volume.hpp"
#include "trellis/ensembles/kernels/tile_pairs.hpp"
#include "trellis/forces/user_checks/interaction_check.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Systems are independent: each core advances one after the other.
template <class I>
void advance_systems(const KernelCall& call) {
    const auto& todo = call.get<SystemsCall>();
    const SystemsMemory<I> memory(call);
    struct Workspaces {
        Workspace pairs, volumes;
    };
    std::vector<Workspaces> workspaces(static_cast<std::size_t>(thread_count()));
    parallel_tasks(todo.systems, [&](std::size_t k, int thread) {
        System& system = memory.systems[k];
        if (system.count == 0) return;  // from a client that is not this library: there is no first particle
        const SystemChange& change = memory.changes[k];
        const SystemColumns columns(memory.columns, memory.ids, todo.slots, system);
        auto& [workspace, of_volumes] = workspaces[static_cast<std::size_t>(thread)];
        const auto pairs_of = [&](const I& interaction, const System& of, const SystemColumns& its_columns) {
            return TilePairs<I>(interaction, of, its_columns, todo.columns_of, workspace);
        };
        const auto copy = [&] { return SystemCopy(columns, system, todo.columns); };
        change_system(columns, system, change);
        if (change.hamiltonian != system.hamiltonian)
            enter_hamiltonian(columns, system, change.hamiltonian, memory.all, pairs_of);
        const I& interaction = memory.all.interactions[system.hamiltonian];
        TilePairs<I> pairs = pairs_of(interaction, system, columns);
        const auto trial_pairs_of = [&](const System& of, const SystemColumns& its_columns) {
            return TilePairs<I>(interaction, of, its_columns, todo.columns_of, of_volumes);
        };
        const double shortest = shortest_side(interaction, todo);
        std::size_t next = k, next_of_system = k * (todo.steps / todo.every);
        take_steps(
            columns, system, pairs, todo, range_of(interaction),
            [&] { move_volume(columns, system, pairs, shortest, copy, trial_pairs_of); },
            [&](const SystemEnergies& now) {
                if (todo.potentials != 0)
                    memory.potentials[next_of_system++] = potential_alone(now);
                else
                    memory.energies[next] = now;
                if (todo.volumes != 0) memory.volumes[next] = known_volume(system);
                next += todo.systems;
            });
        if (todo.hamiltonians > 0) {
            SystemCopy visitor = copy();
            double* const energies = memory.in_all + k * todo.hamiltonians;
            potential_in_all(visitor, system, todo.hamiltonians, memory.all, pairs_of,
                             [&](std::uint64_t number, double energy) { energies[number] = energy; });
        }
    });
}

// The use of the kernel's memory.
template <class I>
void systems_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    const SystemsCall call = KernelCall{constants, {}}.get<SystemsCall>();
    if (call.systems == 0) return;
    const bool allowed = call.columns <= system_columns::others + most_components &&
                         std::ranges::all_of(call.columns_of, [&](std::uint32_t c) { return c < call.columns; });
    const std::uint64_t hamiltonians = std::max<std::uint64_t>(call.hamiltonians, 1);
    put_systems_uses(call, allowed, hamiltonians, uses);
    uses[static_cast<std::size_t>(SystemMemory::interactions)] = use_of<I>(hamiltonians);
}

template <class I>
double cutoff_of(const void* interaction) {
    return range_of(*static_cast<const I*>(interaction));
}

// True if systems can have this interaction: it gives forces and energies, it is summed, and it acts on all pairs or on
// those within a cutoff.
template <class I>
constexpr bool suits_systems() {
    if constexpr (ShortRange<I>)
        if constexpr (!std::is_same_v<typename I::Search, Cutoff> || !std::is_same_v<OutcomeOf<I>, typename I::Result>)
            return false;
    if constexpr (ShortRange<I> || Interaction<I>)
        return is_listed<Acceleration, typename I::Result> && is_listed<Potential, typename I::Result> &&
               TileRows<I>::components() <= most_components;
    else
        return false;
}

// The table for an interaction of your own (forces/interaction.hpp, or forces/short_range.hpp with Search = Cutoff).
template <class I>
SystemKernels make_system_kernels() {
    static_assert(ShortRange<I> || Interaction<I>, "an interaction has Target, Source and Result");
    static_assert(TileRows<I>::components() <= most_components,
                  "the fields of the interaction have too many components");
    if constexpr (ShortRange<I>)
        static_assert(std::is_same_v<typename I::Search, Cutoff>, "systems know Search = Cutoff alone");
    return {systems_kernel(typeid(I).name()),
            UnionOfFields<typename I::Source, typename I::Target>::infos(),
            sizeof(I),
            cutoff_of<I>,
            advance_systems<I>,
            systems_uses<I>};
}

TRELLIS_ISA_END
}  // namespace trellis
