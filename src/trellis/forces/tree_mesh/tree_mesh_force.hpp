// A force that falls as 1 / r^2 in a periodic box, by a mesh and a tree (TreePM; Xu 1995, Bagla 2002): the short-range
// part by local expansions within the cutoff (Wang 2020, arXiv:2006.14952).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/forces/tree/force_by_tree.hpp"
#include "trellis/forces/tree_mesh/mesh_choice.hpp"

namespace trellis {

// The force whose energy is c s_i s_j / sqrt(r^2 + softening^2) for a pair.
struct ForceByTreeAndMesh {
    InteractionKernels kernels;
    std::function<std::shared_ptr<const void>(double cutoff)>
        within;            // the interaction of these kernels, cut off at cutoff
    std::string strength;  // the field s; if it is the mass, accelerations are those of gravity
    double coupling;       // c
    double softening;
    std::optional<SofteningField> softening_of_each = {};  // instead: that of each particle, in the field `softening`

    // True for charges without a softening: each gets the field virial, of which half the sum is that of the box.
    bool gives_virial() const { return strength != Mass::name && softening == 0; }
};

// settings.accuracy is relative to the net force; settings.method is ignored. devices: where the part within the cutoff
// is computed, while the host solves the mesh; none: by the host, too. Throws InputError for a value out of
// range; attach and dispatch do for a region that is not periodic along all axes, or too small for the cutoff, and for
// particles that lack the strength.
std::unique_ptr<ForceByTree> tree_mesh_force(const ForceByTreeAndMesh& force, const ForceSettings& settings,
                                             const TreeMeshSettings& mesh, Devices devices = {});

}  // namespace trellis
