#include "trellis/forces/short_range/reused_neighbourhood.hpp"

#include <vector>

#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

void ReusedNeighbourhood::attach(ParticleSet& particles, std::size_t number) {
    if (!keeps_) return;
    kept_.attach(particles, number,
                 {"_list_radius", "length", "search radius that the neighbour lists were made with"});
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

// True if lists are there, or can be rebuilt as they were before a checkpoint, and are valid.
bool ReusedNeighbourhood::holds(const ParticleSet& particles, const Radii& radii, const Ranks* ranks, Phases& phases) {
    const bool here =
        have_lists_ && neighbourhood_.size() == particles.size() && arrangement_ == particles.arrangement();
    if (!here) {
        const bool noted = kept_.noted(particles);
        if (!(ranks == nullptr ? noted : any_rank(*ranks->comm, noted))) return false;
        neighbourhood_.build(particles, kept_.positions(), Radii(kept_.limits(particles)), ranks, phases);
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
    std::vector<double> radius(particles.size());
    for (std::size_t row = 0; row < radius.size(); ++row) radius[row] = radii[row];
    kept_.note(particles, radius);
    have_lists_ = true;
    arrangement_ = particles.arrangement();
}

}  // namespace trellis
