// Coulomb's force in a periodic box by a mesh and a tree.
#pragma once

#include <memory>

#include "trellis/forces/tree_mesh/tree_mesh_force.hpp"

namespace trellis {

// phi_i = (q_i / m_i) coupling sum over particles and images of q_j / sqrt(r_ij^2 + softening^2), an energy per mass;
// q: the field `charge`, of either sign. A uniform background makes the box neutral if the charges are not. Coupling
// above 0: charges of one sign repel each other. Settings, devices and errors: see tree_mesh_force; the accuracy
// holds for the errors relative to the field of each charge, too, whose root mean square is up to 2.5 times that over
// the field's.
std::unique_ptr<ForceByTree> tree_mesh_coulomb(double softening, double coupling = 1,
                                               const ForceSettings& settings = {}, const TreeMeshSettings& mesh = {},
                                               Devices devices = {});

// The cutoff, in cells, that is chosen for an accuracy. Throws InputError for an accuracy out of range.
double tree_mesh_coulomb_cutoff(double accuracy);

}  // namespace trellis
