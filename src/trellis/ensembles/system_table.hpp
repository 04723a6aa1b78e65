// The systems of an ensemble as tables: what they are, and the columns of their particles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "trellis/ensembles/kernels/system_kernels.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// What a system has beside its particles and its interaction.
struct SystemSettings {
    double timestep = 0;  // above 0
    Bath bath = Bath::none;
    double temperature = 0;       // k T, at least 0; with a chain of thermostats above 0
    double relaxation_time = 1;   // of the bath, above 0
    std::uint32_t chain = 3;      // its members, 1 to longest_chain
    std::uint32_t conserved = 3;  // components of momentum that count for no degree of freedom, for a chain
    std::uint64_t seed = 0;       // of the random kicks
    double tolerance = 0;         // of a quench: the largest force at its end, above 0
    double longest_move = std::numeric_limits<double>::infinity();  // of a particle in a step of a quench, above 0
    Barostat barostat = {};    // none, or: a finite pressure, the longest move above 0; with a thermostat in a box
    Container container = {};  // radius at least 0, stiffness at least 0 and finite
};

// The state of an ensemble: it goes on from it with the same bits.
struct EnsembleState {
    std::vector<System> systems;
    std::vector<double> columns;        // system_columns::changing of them, each with a value for every slot
    std::vector<SystemChange> changes;  // before the next steps
};

// What does not change: the Hamiltonians, and what particles keep.
struct SystemTable {
    SystemKernels kernels;
    std::vector<std::byte> interactions;        // of each Hamiltonian
    std::vector<Container> containers;          // of each Hamiltonian
    std::vector<std::uint64_t> hamiltonian_of;  // each system, to begin with
    std::vector<double> pressure_of;            // each system, to begin with; 0 without a barostat
    bool volumes = false;                       // boxes change
    bool in_all = false;                        // calls end with the energies of systems in all Hamiltonians
    std::vector<std::uint32_t> columns_of;      // the column of each component of the interaction's fields
    std::size_t slots = 0;                      // of all systems
    std::vector<std::uint64_t> ids;             // for every slot
    std::vector<double> kept;                   // columns from system_columns::changing on

    std::size_t columns() const { return system_columns::changing + kept.size() / slots; }
    std::size_t hamiltonians() const { return containers.size(); }
    double longest_cutoff() const;  // of all Hamiltonians
    // That boxes of all systems need, so that each fits into all Hamiltonians in which calls evaluate it.
    double shortest_side() const { return in_all ? 2 * longest_cutoff() : 0; }
    const void* interaction(std::size_t hamiltonian) const {
        return interactions.data() + hamiltonian * kernels.interaction_bytes;
    }
};

// interactions: one for each system, in bytes; particles: of each system, at least one, with the fields that the
// interaction reads; the sides of a periodic region are at least two cutoffs long. Systems of the same interaction and
// container have the same Hamiltonian. Throws InputError for what cannot be used, naming the system.
SystemTable make_system_table(const SystemKernels& kernels, std::span<const std::byte> interactions,
                              std::span<const ParticleSet* const> particles, std::span<const SystemSettings> settings);
EnsembleState make_systems(const SystemTable& table, std::span<const ParticleSet* const> particles,
                           std::span<const SystemSettings> settings);

// Throws InputError if a system does not fit into each of the Hamiltonians: its box has two of all cutoffs.
void check_all_hamiltonians(const SystemTable& table, std::span<const System> systems);

}  // namespace trellis
