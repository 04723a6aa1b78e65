// Gravity in a periodic box by a mesh and a tree.
#pragma once

#include <memory>

#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_force.hpp"

namespace trellis {

// phi_i = -G sum over particles and images of m_j / sqrt(r_ij^2 + softening^2), over a uniform background of the
// opposite mass (beyond the cutoff, without softening). Settings, devices and errors: see tree_mesh_force.
std::unique_ptr<ForceByTree> tree_mesh_gravity(double softening, double G = 1, const ForceSettings& settings = {},
                                               const TreeMeshSettings& mesh = {}, Devices devices = {});

// The same with a softening for each particle, which has no physical maximum.
std::unique_ptr<ForceByTree> tree_mesh_gravity(const SofteningOfEach& softening, double G = 1,
                                               const ForceSettings& settings = {}, const TreeMeshSettings& mesh = {},
                                               Devices devices = {});

}  // namespace trellis
