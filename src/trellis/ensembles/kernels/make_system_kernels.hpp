// Compiles an interaction for the instruction set of the including source, into the table that ensembles work with.
#pragma once

#include <limits>
#include <string>
#include <type_traits>
#include <typeinfo>

#include "trellis/base/parallel.hpp"
#include "trellis/ensembles/kernels/system_hamiltonians.hpp"
#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/ensembles/kernels/system_steps.hpp"
#include "trellis/ensembles/kernels/system_volume.hpp"
#include "trellis/ensembles/kernels/tile_pairs.hpp"
#include "trellis/forces/interaction_check.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Systems are independent of each other: each core takes one after the other.
template <class I>
void advance_systems(const KernelCall& call) {
    const auto& todo = call.get<SystemsCall>();
    const auto memory = [&]<class T>(SystemMemory which, T*) {
        return reinterpret_cast<T*>(call.memory[static_cast<std::size_t>(which)]);
    };
    auto* const systems = memory(SystemMemory::systems, static_cast<System*>(nullptr));
    const auto* const changes = memory(SystemMemory::changes, static_cast<SystemChange*>(nullptr));
    auto* const values = memory(SystemMemory::columns, static_cast<double*>(nullptr));
    const auto* const ids = memory(SystemMemory::ids, static_cast<std::uint64_t*>(nullptr));
    const Hamiltonians<I> all{memory(SystemMemory::interactions, static_cast<I*>(nullptr)),
                              memory(SystemMemory::containers, static_cast<Container*>(nullptr))};
    auto* const energies = memory(SystemMemory::energies, static_cast<SystemEnergies*>(nullptr));
    auto* const in_all = memory(SystemMemory::in_all, static_cast<double*>(nullptr));
    auto* const volumes = memory(SystemMemory::volumes, static_cast<double*>(nullptr));
    struct Workspaces {
        Workspace pairs, volumes;
    };
    std::vector<Workspaces> workspaces(static_cast<std::size_t>(thread_count()));
    parallel_tasks(todo.systems, [&](std::size_t k, int thread) {
        System& system = systems[k];
        const SystemColumns columns(values, ids, todo.slots, system);
        auto& [workspace, of_volumes] = workspaces[static_cast<std::size_t>(thread)];
        change_system(columns, system, changes[k]);
        if (changes[k].hamiltonian != system.hamiltonian)
            enter_hamiltonian(columns, system, changes[k].hamiltonian, all, todo, workspace);
        const I& interaction = all.interactions[system.hamiltonian];
        TilePairs<I> pairs(interaction, system, columns, todo.columns_of, workspace);
        VolumeMoves<I> moves(interaction, todo, of_volumes);
        std::size_t next = k;
        take_steps(
            columns, system, pairs, todo, [&] { moves.after_step(columns, system, pairs); },
            [&](const SystemEnergies& now) {
                energies[next] = now;
                if (todo.volumes != 0) volumes[next] = known_volume(system);
                next += todo.systems;
            });
        if (todo.hamiltonians > 0)
            potential_in_all(columns, system, all, todo, workspace, in_all + k * todo.hamiltonians);
    });
}

template <class I>
double cutoff_of(const void* interaction) {
    if constexpr (ShortRange<I>)
        return static_cast<const I*>(interaction)->cutoff;
    else
        return std::numeric_limits<double>::infinity();
}

// Whether systems can have an interaction: it gives forces and energies, it is summed, and pairs are all or those of a
// cutoff.
template <class I>
constexpr bool suits_systems() {
    if constexpr (ShortRange<I>)
        if constexpr (!std::is_same_v<typename I::Search, Cutoff> || !std::is_same_v<OutcomeOf<I>, typename I::Result>)
            return false;
    if constexpr (ShortRange<I> || Interaction<I>)
        return is_listed<Acceleration, typename I::Result> && is_listed<Potential, typename I::Result> &&
               TilePairs<I>::components <= most_components;
    else
        return false;
}

// The table for an interaction of your own (forces/interaction.hpp, or forces/short_range.hpp with Search = Cutoff).
template <class I>
SystemKernels make_system_kernels() {
    static_assert(ShortRange<I> || Interaction<I>, "an interaction has Target, Source and Result");
    static_assert(TilePairs<I>::components <= most_components,
                  "the fields of the interaction have too many components");
    if constexpr (ShortRange<I>)
        static_assert(std::is_same_v<typename I::Search, Cutoff>, "systems know Search = Cutoff alone");
    return {std::string("systems ") + typeid(I).name(), UnionOfFields<typename I::Source, typename I::Target>::infos(),
            sizeof(I), cutoff_of<I>, advance_systems<I>};
}

TRELLIS_ISA_END
}  // namespace trellis
