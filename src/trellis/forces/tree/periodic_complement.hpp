// The part of a force in a periodic box that the lists of a tree lack: images beyond those that touch the box, or the
// long-range part by a mesh.
#pragma once

#include <cstdint>
#include <memory>

#include "trellis/base/phase.hpp"
#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/domain/ranks.hpp"

namespace trellis {

// Forces with which tolerances in a box are compared, in units of strength over length squared; accelerations where the
// interaction shows its coupling (forces/tree/shown_coupling.hpp).
struct ReferenceForces {
    double of_neighbour;  // the mean strength over the square of the mean distance of neighbours
    double within_reach;  // the mean density of strengths times the reach of cells: the force of all matter on one side
};

class PeriodicComplement {
  public:
    virtual ~PeriodicComplement() = default;

    // Throws InputError for a periodic region, or an accuracy, that it cannot serve.
    virtual void check(const Region& region, double accuracy) const = 0;

    // Begins to read the sources of all ranks; collective, if there are several (ranks is null if not). Between sites
    // messages travel until one of the next two calls. Throws RunError for a particle too far beyond the box.
    virtual void gather(ParticleSet& particles, const Ranks* ranks, Phases& phases) = 0;

    // The reference forces of these sources; collective, called once or not at all.
    virtual ReferenceForces forces(Phases& phases) = 0;

    // The sum of the absolute strengths of some sources; where the coupling is shown, each times its response.
    virtual double strength_of(const ParticleSet& particles) const = 0;
    // The reference forces of `count` sources in a region, whose absolute strengths add up to `strength`.
    virtual ReferenceForces forces_of(const Region& region, double strength, double count) const = 0;

    // Computes what add needs of other ranks while devices compute, before one of them may fail; collective.
    virtual void solve(Phases& /*phases*/) {}

    // Adds this part to the result columns; collective, unless solve was called.
    virtual void add(ParticleSet& particles, Phases& phases) = 0;

    // Before reference is called with sources in this region: see Force::prepare_reference.
    virtual void prepare_reference(const Region& /*region*/) {}

    // The force of all images of all sources: see Force::reference.
    virtual void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                           double* values) const = 0;
};

// The complement of an interaction that is the gradient of a potential, in a periodic cube; null for an interaction
// without a field (InteractionKernels::field_of_source). accuracy: of forces, for which the sum over images must
// converge. Implemented by forces/tree/periodic.
std::shared_ptr<PeriodicComplement> images_of_potential(const CompiledInteraction& interaction, double accuracy);

}  // namespace trellis
