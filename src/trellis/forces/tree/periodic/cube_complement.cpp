#include "trellis/forces/tree/periodic/cube_complement.hpp"

namespace trellis {

void CubeComplement::gather(ParticleSet& particles, const Ranks* ranks, Phases& phases) {
    if (summing_) act();  // left by a force that has failed
    const PhaseTimer timer(phases, Phase::calculate_moments);
    Comm& comm = ranks == nullptr ? *alone_ : *ranks->comm;
    cube_ = cube_of(particles, comm);
    check_reach(particles, cube_, force_);
    const bool under_way = begin_sums(particles, comm);
    summing_ = true;
    if (!under_way) act();
}

ReferenceForces CubeComplement::forces(Phases& phases) {
    const PhaseTimer timer(phases, Phase::calculate_moments);
    if (summing_) act();
    return forces_;
}

void CubeComplement::act() {
    forces_ = finish_sums();
    summing_ = false;
}

}  // namespace trellis
