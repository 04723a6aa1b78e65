#include "trellis/forces/molecules/lennard_jones_force.hpp"

#include <cmath>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/forces/molecules/lennard_jones_kernel.hpp"
#include "trellis/forces/molecules/lennard_jones_neighbours.hpp"

namespace trellis {

std::unique_ptr<ShortRangeForce> lennard_jones(double epsilon, double sigma, double cutoff, Truncation truncation,
                                               const ShortRangeSettings& settings, double switch_ratio) {
    const auto check_positive = [](const char* name, double value) {
        if (!(value > 0 && std::isfinite(value)))
            throw InputError(std::string(name) + " is " + to_text(value) + ": allowed is above 0");
    };
    check_positive("epsilon", epsilon);
    check_positive("sigma", sigma);
    check_positive("cutoff", cutoff);
    check_switch_ratio(switch_ratio);
    TRELLIS_CALL_FOR_GPUS(register_lennard_jones_neighbours());
    return short_range_force_with(TRELLIS_VARIANT(lennard_jones_kernels)(),
                                  LennardJones(epsilon, sigma, cutoff, truncation, switch_ratio), settings);
}

}  // namespace trellis
