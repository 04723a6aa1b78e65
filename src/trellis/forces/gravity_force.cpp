#include "trellis/forces/gravity_force.hpp"

#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/cuda/gravity_pairs.hpp"
#include "trellis/forces/gravity_kernel.hpp"

namespace trellis {

std::unique_ptr<TreeForce> gravity(double softening, double g, const ForceSettings& settings,
                                   std::shared_ptr<Device> device) {
    if (!(softening >= 0 && std::isfinite(softening)))
        throw InputError("softening is " + to_text(softening) + ": allowed is 0 or more");
    if (!(std::isfinite(g) && g > 0)) throw InputError("G is " + to_text(g) + ": allowed is above 0");
    register_gravity_pairs();
    return tree_force_with(TRELLIS_VARIANT(gravity_kernels)(), Gravity{{softening * softening}, g}, settings,
                           std::move(device));
}

}  // namespace trellis
