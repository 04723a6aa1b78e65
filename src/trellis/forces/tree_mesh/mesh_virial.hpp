// The virial tensor of the part of Coulomb's force that a mesh computes.
#pragma once

#include <array>
#include <memory>

#include "trellis/forces/tree_mesh/mesh_choice.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Row a, component b: -dU / d(strain ab) of U = 1/2 sum coupling q_i q_j L(r_ij), L of a mesh as of mesh_of_region, in
// double precision, for the charges of all ranks and their images; collective, with the same bits on every rank. mesh:
// with its cutoff. A particle's own L(0) does not depend on strain. Throws InputError as mesh_of_region, and for
// particles without the field charge.
std::array<Vec3<double>, 3> mesh_virial(const std::shared_ptr<Comm>& comm, const ParticleSet& particles,
                                        double coupling, const TreeMeshSettings& mesh);

}  // namespace trellis
