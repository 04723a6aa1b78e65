// The motion of particles relative to their centre of mass, which global thermostats scale: the motion of all together
// is no heat.
#pragma once

#include "trellis/integrate/thermostats/axes.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Over the particles of all ranks that are not fixed (particles/motion.hpp), with the same bits for any division among
// ranks and threads.
struct OwnMotion {
    Vec3<double> drift;  // velocity of the centre of mass
    double kinetic;      // kinetic energy relative to it, along the axes
    double freedom;      // N - 1 degrees of freedom along each axis
    Axes axes;
};

// Collective. Throws InputError if there are fewer than two that are not fixed, RunError if a velocity is not finite or
// a mass not above 0.
OwnMotion own_motion(const ParticleSet& particles, Comm& comm, Axes axes = {});

// Multiplies the velocities relative to the drift, along the axes, by a factor, but for those of fixed particles.
void scale_own_motion(ParticleSet& particles, const OwnMotion& motion, double factor);

// True if the space is periodic along fewer than two axes: then it looks the same from several directions, and forces
// conserve an angular momentum.
bool conserves_rotation(const Region& region);
// Throws InputError for a chain of thermostats in such a space, where it is not canonical.
void refuse_chain(const Region& region);

}  // namespace trellis
