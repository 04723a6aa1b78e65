#include "trellis/forces/tree_mesh/tree_mesh_gravity.hpp"

#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/tree_mesh/kernels/between_softenings_within_cutoff.hpp"
#include "trellis/forces/tree_mesh/kernels/gpu_within_cutoff.hpp"
#include "trellis/forces/tree_mesh/kernels/tree_mesh_kernel.hpp"

namespace trellis {

std::unique_ptr<ForceByTree> tree_mesh_gravity(double softening, double G, const ForceSettings& settings,
                                               const TreeMeshSettings& mesh, Devices devices) {
    TRELLIS_CALL_FOR_GPUS(register_gravity_within_cutoff());
    const Gravity gravity = checked_gravity(softening, G);
    const auto within = [gravity](double cutoff) {
        return std::make_shared<const GravityWithinCutoff>(gravity.epsilon2, S2LongRange(cutoff), cutoff, gravity.G);
    };
    return tree_mesh_force(ForceByTreeAndMesh{TRELLIS_VARIANT(s2_tree_kernels)(), within, Mass::name, -G, softening},
                           settings, mesh, std::move(devices));
}

std::unique_ptr<ForceByTree> tree_mesh_gravity(const SofteningOfEach& softening, double G,
                                               const ForceSettings& settings, const TreeMeshSettings& mesh,
                                               Devices devices) {
    TRELLIS_CALL_FOR_GPUS(register_between_softenings_within_cutoff());
    const SofteningField softenings(softening);
    if (softenings.limited()) throw InputError("softening_max_physical is given: allowed with method fmm or tree");
    checked_gravity(0, G);
    const auto within = [G](double cutoff) {
        return std::make_shared<const BetweenSofteningsWithinCutoff>(
            GravityWithinCutoff{{0}, S2LongRange(cutoff), cutoff, G});
    };
    return tree_mesh_force(
        ForceByTreeAndMesh{TRELLIS_VARIANT(s2_between_softenings_kernels)(), within, Mass::name, -G, 0, softenings},
        settings, mesh, std::move(devices));
}

}  // namespace trellis
