// The virial tensor of a force over given tuples: what its forces add to a pressure tensor.
#pragma once

#include <array>

#include "trellis/forces/bonded/topology.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Row a, component b: the sum over members of x_a f_b, of the particles of all ranks; collective, with the same bits on
// every rank. Throws InputError for an id that no particle has.
std::array<Vec3<double>, 3> virial_tensor(Comm& comm, const ParticleSet& particles, const TuplePotential& potential);

}  // namespace trellis
