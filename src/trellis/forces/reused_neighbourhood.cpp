#include "trellis/forces/reused_neighbourhood.hpp"

#include <vector>

#include "trellis/ranks/collective.hpp"

namespace trellis {

void ReusedNeighbourhood::attach(ParticleSet& particles, std::size_t number) {
    if (keeps_) kept_.attach(particles, number);
}

void ReusedNeighbourhood::prepare(ParticleSet& particles, const Radii& radii, const Ranks* ranks, bool may_reuse,
                                  Phases& phases) {
    if (keeps_ && may_reuse && holds(particles, radii, ranks, phases)) {
        ++use_.reuses;
        return;
    }
    construct(particles, radii, ranks, phases);
}

bool ReusedNeighbourhood::follow(ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases) {
    if (neighbourhood_.holds(particles, radii, phases)) return false;
    construct(particles, radii, ranks, phases);
    return true;
}

// Whether lists are there, or after a checkpoint can be made as they were, and hold.
bool ReusedNeighbourhood::holds(const ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases) {
    const bool here =
        have_lists_ && neighbourhood_.size() == particles.size() && arrangement_ == particles.arrangement();
    if (!here) {
        const bool noted = kept_.noted(particles);
        if (!(ranks == nullptr ? noted : any_rank(*ranks->comm, noted))) return false;
        neighbourhood_.build(particles, kept_.positions(), Radii(kept_.tolerance(particles)), ranks, phases);
        have_lists_ = true;
        arrangement_ = particles.arrangement();
    }
    if (neighbourhood_.holds(particles, radii, phases)) return true;
    ++use_.early;
    return false;
}

void ReusedNeighbourhood::construct(ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases) {
    have_lists_ = false;
    neighbourhood_.build(particles, Position::name, radii, ranks, phases);
    ++use_.constructions;
    if (!keeps_) return;
    std::vector<double> reach(particles.size());
    for (std::size_t row = 0; row < reach.size(); ++row) reach[row] = radii[row];
    kept_.note(particles, reach);
    have_lists_ = true;
    arrangement_ = particles.arrangement();
}

}  // namespace trellis
