// The kick in the middle of a step of fourth order.
//
// A step is: a kick of a sixth, a drift of half, a kick of two thirds, a drift of half, a kick of a sixth, where the
// accelerations of the middle one contain their own gradient (Chin & Chen 2005, algorithm 4A): a + dt^2 / 24 (a . grad)
// a, which up to the order of the method is a at x + dt^2 / 24 a. So it takes nothing but a second computation of the
// forces, at displaced positions (Wisdom 2018; Rein, Tamayo & Brown 2019). All parts go forward in time. Between levels
// the same holds for what a level adds to the level below (Rantala et al. 2021).
#pragma once

#include <cstdint>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/integrate/rungs/level.hpp"
#include "trellis/integrate/rungs/level_forces.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

class MiddleKick {
  public:
    // The first and the last kick, in halves of a step.
    static constexpr double outer = 1.0 / 3;

    // A longest step begins. rows: of all particles. Throws InputError in a periodic region.
    void begin(const ParticleSet& particles, const std::vector<std::uint32_t>& rows);
    // Kicks the particles of `own` in the middle of a step of this length, without what those of `below` add, which is
    // null or has the forces at the present positions. own: null for all particles. time: of the positions. Returns
    // the number of forces on particles. Collective.
    std::uint64_t act(ParticleSet& particles, Level* own, Level* below, double length, double time,
                      LevelForces& forces);

  private:
    Level whole_;                              // all particles
    std::vector<Vec3<double>> displacements_;  // of each row
};

}  // namespace trellis
