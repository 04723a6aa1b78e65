#include "trellis/forces/tree_mesh/tree_mesh_coulomb.hpp"

#include "trellis/base/error.hpp"
#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/forces/tree_mesh/coulomb_within_cutoff.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_coulomb_kernel.hpp"

namespace trellis {

std::unique_ptr<ForceByTree> tree_mesh_coulomb(double softening, double coupling, const ForceSettings& settings,
                                               const TreeMeshSettings& mesh) {
    check_softening(softening);
    if (!(std::isfinite(coupling) && coupling != 0))
        throw InputError("coupling is " + to_text(coupling) + ": allowed are finite numbers other than 0");
    const auto within = [=](double cutoff) {
        return std::make_shared<const CoulombWithinCutoff>(
            GravityWithinCutoff{{softening * softening}, S2LongRange(cutoff), cutoff, coupling});
    };
    return tree_mesh_force(
        ForceByTreeAndMesh{TRELLIS_VARIANT(s2_coulomb_kernels)(), within, Charge::name, coupling, softening}, settings,
        mesh);
}

}  // namespace trellis
