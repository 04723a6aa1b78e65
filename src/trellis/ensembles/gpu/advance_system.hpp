// A call for one system by a block of threads: as advance_systems of kernels/make_system_kernels.hpp.
#pragma once

#include <cstddef>

#include "trellis/ensembles/gpu/thread_copy.hpp"
#include "trellis/ensembles/gpu/thread_pairs.hpp"
#include "trellis/ensembles/kernels/system_memory.hpp"
#include "trellis/ensembles/kernels/system_volume.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The part of one thread. number: of the system. space: memory that the threads share, of the given sizes; room: memory
// of the block. Forces have the same bits with lists of near particles and without.
template <class I, class Threads>
TRELLIS_HOST_DEVICE void advance_system(const SystemsMemory<I>& memory, const SystemsCall& call, std::size_t number,
                                        const Threads& threads, const BlockSpace& sizes, double* space,
                                        const BlockRoom& room) {
    using Columns = ThreadColumns<Threads>;
    using Pairs = ThreadPairs<I, Threads>;
    System system = memory.systems[number];
    const SystemChange change = memory.changes[number];
    const Columns columns(threads, memory.columns + system.first, call.slots, memory.ids + system.first, system,
                          sizes.columns_at_hand ? space + sizes.doubles_of_sums() : nullptr, space);
    auto* const rows = reinterpret_cast<typename Pairs::Row*>(space + sizes.doubles());
    const auto pairs_of = [&](const I& interaction, const System& of, const Columns& its_columns) {
        return Pairs(interaction, of, its_columns, call.columns_of, rows, {nullptr, of.count});
    };
    const auto put = [&](auto* value, const auto& now) {
        if (threads.number() == 0) *value = now;
    };
    columns.fetch();
    change_system(columns, system, change);
    if (change.hamiltonian != system.hamiltonian)
        enter_hamiltonian(columns, system, change.hamiltonian, memory.all, pairs_of);
    const bool listed = ShortRange<I> && system.count >= least_listed;
    Pairs pairs(memory.all.interactions[system.hamiltonian], system, columns, call.columns_of, rows,
                {listed ? room.near : nullptr, system.count});
    std::uint64_t next = number, next_of_system = number * (call.steps / call.every);
    const auto take = [&](const SystemEnergies& now) {
        if (call.potentials != 0)
            put(memory.potentials + next_of_system++, potential_alone(now));
        else
            put(memory.energies + next, now);
        if (call.volumes != 0) put(memory.volumes + next, known_volume(system));
        next += call.systems;
    };
    const I& interaction = memory.all.interactions[system.hamiltonian];
    const double shortest = shortest_side(interaction, call);
    const auto copy = [&] { return ThreadCopy<Threads>(columns, system, call.columns, room.copy); };
    const auto trial_pairs_of = [&](const System& of, const Columns& its_columns) {
        return pairs_of(interaction, of, its_columns);
    };
    take_steps(
        columns, system, pairs, call, range_of(interaction),
        [&] { move_volume(columns, system, pairs, shortest, copy, trial_pairs_of); }, take);
    if (call.hamiltonians > 0) {
        struct {
            const Columns& columns;
            System system;
        } visitor{columns, system};
        potential_in_all(
            visitor, system, call.hamiltonians, memory.all, pairs_of,
            [&](std::uint64_t each, double energy) { put(memory.in_all + number * call.hamiltonians + each, energy); });
        update_forces(columns, system, pairs);  // the visitor has left forces of other Hamiltonians
    }
    columns.bring_back();
    threads.wait();  // all threads have read the system as it was
    put(memory.systems + number, system);
}

TRELLIS_ISA_END
}  // namespace trellis
