// Pairs of particles that an interaction leaves out, or counts by a factor: near ones of a molecule, whose bonds act
// instead (GROMACS: exclusions; LAMMPS: special_bonds). Particles are named by their ids, so that pairs stay the same
// when rows are sorted or change ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/domain/ranks.hpp"

namespace trellis {

struct ExcludedPair {
    std::uint64_t one, other;  // ids
    double factor = 0;         // by which the pair counts; 0: not at all
};

class Exclusions {
  public:
    struct Partner {
        std::uint64_t id;
        double factor;
    };

    // Throws InputError for a particle with itself, a factor that is below 0 or not finite, and a pair with two
    // different factors.
    explicit Exclusions(std::span<const ExcludedPair> pairs);

    // All pairs, each once: one is below other.
    std::vector<ExcludedPair> pairs() const;

    // The particles that a particle has such a pair with, by rising ids.
    std::span<const Partner> partners(std::uint64_t id) const;

    // The factor of each source in its pair with the particle of that id: 1 for all others.
    std::vector<double> factors(const ParticleSet& sources, std::uint64_t id) const;

    // Throws InputError on all ranks if there is no particle with one of the ids. Collective. ranks: null for a rank
    // alone.
    void check_present(const ParticleSet& particles, const Ranks* ranks) const;

  private:
    std::size_t number_of(std::uint64_t id) const;  // in ids_; their number if it is not there

    std::vector<std::uint64_t> ids_;  // of all particles in pairs, rising
    std::vector<std::size_t> begins_;
    std::vector<Partner> partners_;  // those of ids_[k] begin at begins_[k]
};

}  // namespace trellis
