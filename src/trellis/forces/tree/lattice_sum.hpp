// The part of a force in a periodic box that no tree has: the images beyond the box and those that touch it.
#pragma once

#include <cstdint>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

class LatticeSum {
  public:
    virtual ~LatticeSum() = default;

    // Throws InputError for a periodic region, or an accuracy, that it cannot serve.
    virtual void check(const Region& region, double accuracy) const = 0;

    // Reads the sources of all ranks; collective, if there are several (comm is null if not). Returns the mean strength
    // over the square of the mean distance of neighbours. Throws RunError for a particle too far beyond the box.
    virtual double gather(const ParticleSet& particles, Comm* comm) = 0;

    // Adds the far images' part to the result columns.
    virtual void add(ParticleSet& particles) = 0;

    // The force of all images of all sources: see Force::reference.
    virtual void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                           double* values) const = 0;
};

}  // namespace trellis
