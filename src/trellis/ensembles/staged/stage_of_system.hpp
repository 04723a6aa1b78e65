// The stages of one system by the threads of a block (stages.hpp): the steps of kernels/system_steps.hpp, cut where
// they need forces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "trellis/ensembles/gpu/thread_columns.hpp"
#include "trellis/ensembles/kernels/system_memory.hpp"
#include "trellis/ensembles/kernels/system_volume.hpp"
#include "trellis/ensembles/staged/stages.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// An interaction is a row of doubles (forces/run_time/graphs/small_sets.hpp).
struct StagesMemory : SystemsMemory<double> {
    const double* potentials_of_rows;
    SmallSet *sets, *trial_sets;
    System* trials;
    double* trial_columns;

    explicit StagesMemory(const KernelCall& call) : SystemsMemory(call) {
        const auto set = [&]<class T>(T*& pointer, StageMemory which) {
            pointer = reinterpret_cast<T*>(call.memory[static_cast<std::size_t>(which)]);
        };
        set(potentials_of_rows, StageMemory::potentials);
        set(sets, StageMemory::sets);
        set(trials, StageMemory::trials);
        set(trial_columns, StageMemory::trial_columns);
        set(trial_sets, StageMemory::trial_sets);
    }
};

template <class Threads>
class StageOfSystem {
  public:
    using Columns = ThreadColumns<Threads>;

    // number: of the system. partial: memory that the threads share, for sums.
    TRELLIS_HOST_DEVICE StageOfSystem(const StagesMemory& memory, const StagesCall& call, std::size_t number,
                                      const Threads& threads, double* partial)
        : memory_(memory),
          call_(call),
          number_(number),
          threads_(threads),
          system_(memory.systems[number]),
          columns_(columns_at(memory.columns, threads, partial)),
          trial_{memory.trials[number], columns_at(memory.trial_columns, threads, partial)} {}

    TRELLIS_HOST_DEVICE void run() {
        if (call_.has(Stage::change)) change();
        if (call_.has(Stage::changed)) changed();
        const HalfStepBath bath(system_);
        if (call_.has(Stage::end)) end(bath);
        if (call_.has(Stage::propose)) propose();
        if (call_.has(Stage::decide)) decide();
        if (call_.has(Stage::sample)) sample();
        if (call_.has(Stage::begin)) begin(bath);
        if (call_.has(Stage::visited)) visited(call_.hamiltonian - 1);
        if (call_.has(Stage::visit)) visit(call_.hamiltonian);
        threads_.wait();  // all threads have read the system as it was
        if (threads_.number() != 0) return;
        memory_.systems[number_] = system_;
        memory_.trials[number_] = trial_.system;
        memory_.sets[number_] = set_of(system_);
        memory_.trial_sets[number_] = set_of(trial_.system);
    }

  private:
    struct Trial {
        System system;
        Columns columns;
    };
    // The forces that the other kernel has written.
    struct KnownPairs {
        const Columns& columns;
        const double* potentials;

        TRELLIS_HOST_DEVICE double run() const {
            return 0.5 *
                   columns.sum([&](std::size_t k) { return columns.value(system_columns::mass, k) * potentials[k]; });
        }
    };

    TRELLIS_HOST_DEVICE Columns columns_at(double* columns, const Threads& threads, double* partial) const {
        return {threads, columns + system_.first, call_.systems.slots, memory_.ids + system_.first, system_, nullptr,
                partial};
    }
    TRELLIS_HOST_DEVICE static SmallSet set_of(const System& system) {
        return {system.first,
                system.count,
                system.forces_known == 0 ? 1U : 0U,
                {system.box[0], system.box[1], system.box[2]},
                system.hamiltonian,
                system.reference};
    }
    TRELLIS_HOST_DEVICE double range() const {
        return memory_.all.interactions[system_.hamiltonian * call_.stride + 1];
    }
    TRELLIS_HOST_DEVICE void take_forces(const Columns& columns, System& system) const {
        KnownPairs pairs{columns, memory_.potentials_of_rows + system.first};
        update_forces(columns, system, pairs);
    }
    TRELLIS_HOST_DEVICE static void enter(System& system, std::uint64_t hamiltonian, const Container* containers) {
        if (system.hamiltonian == hamiltonian) return;
        system.hamiltonian = hamiltonian;
        system.container = containers[hamiltonian];
        system.forces_known = 0;
    }
    TRELLIS_HOST_DEVICE void make_trial() {
        trial_.system = system_;
        for (std::size_t c = 0; c < call_.systems.columns; ++c)
            columns_.each([&](std::size_t k) { trial_.columns.put(c, k, columns_.value(c, k)); });
    }

    // The trial keeps what the system was, for its account.
    TRELLIS_HOST_DEVICE void change() {
        const SystemChange& change = memory_.changes[number_];
        change_system(columns_, system_, change);
        trial_.system = system_;
        enter(system_, change.hamiltonian, memory_.all.containers);
    }
    TRELLIS_HOST_DEVICE void changed() {
        if (system_.forces_known == 0) take_forces(columns_, system_);
        if (trial_.system.hamiltonian != system_.hamiltonian && trial_.system.forces_known != 0)
            system_.bath_energy += trial_.system.potential - system_.potential;
    }

    TRELLIS_HOST_DEVICE void begin(const HalfStepBath& bath) {
        const double timestep = next_timestep(columns_, system_, range());
        if (!(timestep > 0)) return;
        begin_step(columns_, system_, bath, timestep);
        system_.forces_known = 0;
    }
    TRELLIS_HOST_DEVICE void end(const HalfStepBath& bath) {
        if (system_.forces_known == 0) {
            take_forces(columns_, system_);
            end_step(columns_, system_, bath,
                     system_.bath == Bath::quench ? system_.quench.timestep : system_.timestep);
        }
        ++system_.steps;
    }

    TRELLIS_HOST_DEVICE void propose() {
        trial_.system.forces_known = 1;
        if (system_.too_long != 0 || !volume_is_due(system_)) return;
        make_trial();
        const double cutoffs = 2 * range(), shortest = call_.systems.shortest_side;
        const bool has_cutoff = cutoffs < std::numeric_limits<double>::infinity();
        propose_volume(system_, trial_.columns, trial_.system, VolumeDraw(system_.barostat, system_.steps).move,
                       has_cutoff && cutoffs > shortest ? cutoffs : shortest);
    }
    TRELLIS_HOST_DEVICE void decide() {
        if (trial_.system.forces_known != 0) return;
        take_forces(trial_.columns, trial_.system);
        decide_volume(columns_, system_, trial_, VolumeDraw(system_.barostat, system_.steps));
    }

    TRELLIS_HOST_DEVICE void sample() {
        const SystemsCall& all = call_.systems;
        const SystemEnergies now = energies_of(columns_, system_);
        if (threads_.number() != 0) return;
        const std::size_t at = call_.sample * all.systems + number_;
        if (all.potentials != 0)
            memory_.potentials[number_ * (all.steps / all.every) + call_.sample] = potential_alone(now);
        else
            memory_.energies[at] = now;
        if (all.volumes != 0) memory_.volumes[at] = known_volume(system_);
    }

    TRELLIS_HOST_DEVICE void visit(std::uint64_t hamiltonian) {
        if (hamiltonian == 0) make_trial();
        trial_.system.forces_known = 1;
        if (hamiltonian == system_.hamiltonian) return;
        trial_.system.hamiltonian = hamiltonian;
        trial_.system.container = memory_.all.containers[hamiltonian];
        trial_.system.forces_known = 0;
    }
    TRELLIS_HOST_DEVICE void visited(std::uint64_t hamiltonian) {
        if (hamiltonian != system_.hamiltonian) take_forces(trial_.columns, trial_.system);
        if (threads_.number() != 0) return;
        memory_.in_all[number_ * call_.systems.hamiltonians + hamiltonian] =
            hamiltonian == system_.hamiltonian ? system_.potential : trial_.system.potential;
    }

    const StagesMemory& memory_;
    const StagesCall& call_;
    const std::size_t number_;
    const Threads& threads_;
    System system_;
    const Columns columns_;
    Trial trial_;
};

TRELLIS_ISA_END
}  // namespace trellis
