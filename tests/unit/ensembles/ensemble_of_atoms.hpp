// Ensembles of atoms on lattices, for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

#include "trellis/ensembles/built_in.hpp"
#include "trellis/ensembles/ensemble.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"
#include "unit/ensembles/lattice_atoms.hpp"

namespace trellis {

inline LennardJones shifted() { return {1, 1, 2.5, Truncation::force_shifted}; }

// Uses the kernels that suit this machine; ensemble_of compiles others for the tests' own instruction set.
inline Ensemble of_atoms(std::span<const ParticleSet* const> systems, std::span<const SystemSettings> settings,
                         const Devices& devices = {}) {
    const LennardJones atoms = shifted();
    std::vector<std::byte> interactions;
    for (std::size_t k = 0; k < systems.size(); ++k)
        std::ranges::copy(std::as_bytes(std::span(&atoms, 1)), std::back_inserter(interactions));
    return Ensemble(built_in_systems(BuiltIn::lennard_jones), std::move(interactions), systems, settings, devices);
}

inline ParticleSet copy_of_atoms(const ParticleSet& particles) {
    using namespace fields;
    ParticleSet copy(particles.size());
    copy.set_region(particles.region());
    std::ranges::copy(particles[position], copy[position].begin());
    std::ranges::copy(particles[velocity], copy[velocity].begin());
    std::ranges::copy(particles[mass], copy[mass].begin());
    return copy;
}

inline ParticleSet system_of(Ensemble& ensemble, std::size_t k, const ParticleSet& like) {
    ParticleSet copy = copy_of_atoms(like);
    ensemble.copy(ensemble.state(), k, copy);
    return copy;
}

inline constexpr SystemSettings with_langevin{
    .timestep = 0.002, .bath = Bath::langevin, .temperature = 0.8, .relaxation_time = 0.3, .seed = 7};

}  // namespace trellis
