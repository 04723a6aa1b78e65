// The systems of an ensemble as tables: their constants, and the columns of their particles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// The settings of a system, beside its particles and its interaction.
struct SystemSettings {
    double timestep = 0;  // above 0
    Bath bath = Bath::none;
    double temperature = 0;      // k T, at least 0; with a chain of thermostats above 0
    double relaxation_time = 1;  // relaxation time of the bath, above 0
    std::uint32_t chain = 3;     // members of the chain, 1 to longest_chain
    std::uint64_t seed = 0;      // seed of the random kicks, factors or collisions
    double tolerance = 0;        // largest force at the end of a quench, above 0
    double longest_move = std::numeric_limits<double>::infinity();  // longest move in a step of a quench, above 0
    Barostat barostat = {};    // every = 0, or: a finite pressure, the longest move above 0; with a thermostat in a box
    Container container = {};  // radius at least 0, stiffness at least 0 and finite
};

// The state of an ensemble, from which it continues with the same bits.
struct EnsembleState {
    std::vector<System> systems;
    std::vector<double> columns;        // system_columns::changing columns, each with a value for every slot
    std::vector<SystemChange> changes;  // before the next steps
};

// The constants of the systems: the Hamiltonians, and properties of particles that do not change.
struct SystemTable {
    SystemKernels kernels;
    std::vector<std::byte> interactions;        // one for each Hamiltonian
    std::vector<Container> containers;          // one for each Hamiltonian
    std::vector<std::uint64_t> hamiltonian_of;  // for each system, at the beginning
    std::vector<double> pressure_of;            // for each system, at the beginning; 0 without a barostat
    bool volumes = false;                       // boxes change
    bool in_all = false;                        // calls end with the energies of systems in all Hamiltonians
    std::vector<std::uint32_t> columns_of;      // the column of each component of the interaction's fields
    std::size_t slots = 0;                      // total of all systems
    std::vector<std::uint64_t> ids;             // one for every slot
    std::vector<double> kept;                   // columns from system_columns::changing on

    std::size_t columns() const { return system_columns::changing + kept.size() / slots; }
    std::size_t hamiltonians() const { return containers.size(); }
    double longest_cutoff() const;  // maximum over all Hamiltonians
    // The shortest side that lets each box fit into all Hamiltonians in which calls evaluate it.
    double shortest_side() const { return in_all ? 2 * longest_cutoff() : 0; }
    // Throws InputError, naming the system, unless its particles are those that the topology of a Hamiltonian names.
    void check_members(const System& system, std::size_t number, std::size_t hamiltonian) const;
    const void* interaction(std::size_t hamiltonian) const {
        return interactions.data() + hamiltonian * kernels.interaction_bytes;
    }
};

// interactions: one for each system, in bytes; particles: at least one for each system, with the fields that the
// interaction reads; the sides of a periodic region are at least two cutoffs long. Systems of the same interaction and
// container have the same Hamiltonian. Throws InputError for values out of range, naming the system.
SystemTable make_system_table(const SystemKernels& kernels, std::span<const std::byte> interactions,
                              std::span<const ParticleSet* const> particles, std::span<const SystemSettings> settings);
EnsembleState make_systems(const SystemTable& table, std::span<const ParticleSet* const> particles,
                           std::span<const SystemSettings> settings);

// Throws InputError if a system does not fit into each of the Hamiltonians: the sides of its box must be at least two
// cutoffs of each, and its particles those that topologies name.
void check_all_hamiltonians(const SystemTable& table, std::span<const System> systems);

// Throws InputError, with the difference, unless all systems have the same particles, but for positions and velocities,
// in boxes of the same sides; with a barostat, of the same shape. Others cannot exchange states.
void check_same_systems(const SystemTable& table, std::span<const System> systems);

}  // namespace trellis
