#include "trellis/forces/gravity_force.hpp"

#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/cuda/gravity_pairs.hpp"
#include "trellis/forces/gravity_kernel.hpp"

namespace trellis {

Gravity checked_gravity(double softening, double g) {
    if (!(softening >= 0 && std::isfinite(softening)))
        throw InputError("softening is " + to_text(softening) + ": allowed is 0 or more");
    if (!(std::isfinite(g) && g > 0)) throw InputError("G is " + to_text(g) + ": allowed is above 0");
    return {{softening * softening}, g};
}

std::unique_ptr<TreeForce> gravity(double softening, double g, const ForceSettings& settings,
                                   std::shared_ptr<Device> device) {
    register_gravity_pairs();
    return tree_force_with(TRELLIS_VARIANT(gravity_kernels)(), checked_gravity(softening, g), settings,
                           std::move(device));
}

}  // namespace trellis
