#include "trellis/forces/tree_mesh/tree_mesh_gravity.hpp"

#include "trellis/base/error.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/tree_mesh/between_softenings_within_cutoff.hpp"
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

std::unique_ptr<ForceByTree> tree_mesh_gravity(const SofteningOfEach& softening, double G,
                                               const ForceSettings& settings, const TreeMeshSettings& mesh) {
    const SofteningField softenings(softening);
    if (softenings.limited()) throw InputError("softening_max_physical is given: allowed with method fmm or tree");
    checked_gravity(0, G);
    const auto within = [G](double cutoff) {
        return std::make_shared<const BetweenSofteningsWithinCutoff>(
            GravityWithinCutoff{{0}, S2LongRange(cutoff), cutoff, G});
    };
    return tree_mesh_force(
        ForceByTreeAndMesh{TRELLIS_VARIANT(s2_between_softenings_kernels)(), within, Mass::name, -G, 0, softenings},
        settings, mesh);
}

}  // namespace trellis
