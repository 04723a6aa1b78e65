#include "trellis/forces/tree_mesh/tree_mesh_coulomb.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/forces/tree_mesh/kernels/coulomb_within_cutoff.hpp"
#include "trellis/forces/tree_mesh/kernels/gpu_within_cutoff.hpp"
#include "trellis/forces/tree_mesh/kernels/tree_mesh_coulomb_kernel.hpp"

namespace trellis {

namespace {

// Errors relative to the field of each charge are the larger, the more fields cancel: between charges of both signs
// their root mean square is up to twice that of the errors over the root mean square of the field.
constexpr double share_of_accuracy = 0.4;

// In salt near its lattice, whose field is 1/30 of that of a neighbour, the mesh needs longer cutoffs below this
// accuracy: up to as many cells, for 5e-5 (bench/notes/mesh.md).
constexpr double longer_below = 5e-4, longest = 14;

}  // namespace

double tree_mesh_coulomb_cutoff(double accuracy) {
    tree_mesh_cutoff(accuracy);  // checks it
    if (accuracy >= longer_below) return tree_mesh_cutoff(share_of_accuracy * accuracy);
    const double first = tree_mesh_cutoff(share_of_accuracy * longer_below);
    return first +
           (longest - first) * std::log(longer_below / accuracy) / std::log(longer_below / finest_tree_mesh_accuracy);
}

std::unique_ptr<ForceByTree> tree_mesh_coulomb(double softening, double coupling, const ForceSettings& settings,
                                               const TreeMeshSettings& mesh, Devices devices) {
    TRELLIS_CALL_FOR_GPUS(register_coulomb_within_cutoff());
    check_softening(softening);
    if (!(std::isfinite(coupling) && coupling != 0))
        throw InputError("coupling is " + to_text(coupling) + ": allowed are finite numbers other than 0");
    const auto within = [=](double cutoff) {
        return std::make_shared<const CoulombWithinCutoff>(
            GravityWithinCutoff{{softening * softening}, S2LongRange(cutoff), cutoff, coupling});
    };
    TreeMeshSettings chosen = mesh;
    if (mesh.cutoff == 0) chosen.cutoff = tree_mesh_coulomb_cutoff(settings.accuracy);
    ForceSettings finer = settings;
    finer.accuracy = std::max(share_of_accuracy * settings.accuracy, finest_accuracy);
    return tree_mesh_force(
        ForceByTreeAndMesh{TRELLIS_VARIANT(s2_coulomb_kernels)(), within, Charge::name, coupling, softening}, finer,
        chosen, std::move(devices));
}

}  // namespace trellis
