#include "trellis/forces/tree_mesh/tree_mesh_gravity.hpp"

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/tree_mesh/gravity_within_cutoff.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_kernel.hpp"

namespace trellis {

std::unique_ptr<ForceByTree> tree_mesh_gravity(double softening, double G, const ForceSettings& settings,
                                               const TreeMeshSettings& mesh) {
    const Gravity gravity = checked_gravity(softening, G);
    const auto within = [gravity](double cutoff) {
        return std::make_shared<const GravityWithinCutoff>(gravity.epsilon2, S2LongRange(cutoff), cutoff, gravity.G);
    };
    return tree_mesh_force(ForceByTreeAndMesh{TRELLIS_VARIANT(s2_tree_kernels)(), within, Mass::name, -G, softening},
                           settings, mesh);
}

}  // namespace trellis
