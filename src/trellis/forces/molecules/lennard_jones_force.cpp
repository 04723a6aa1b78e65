#include "trellis/forces/molecules/lennard_jones_force.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/forces/molecules/lennard_jones_kernel.hpp"
#include "trellis/forces/molecules/lennard_jones_neighbours.hpp"

namespace trellis {

// The time that lists of a cutoff c with a skin s take is a (c + s)^3 + b / s, least where s (c + s) is about 2.2
// sigma^2: found for cutoffs of 1.12 and 2.5 sigma (bench/notes/short_range.md).
double lennard_jones_skin_ratio(double sigma, double cutoff) {
    const double half = cutoff / 2;
    return std::min(1.0, (std::sqrt(half * half + 2.2 * sigma * sigma) - half) / cutoff);
}

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
    ShortRangeSettings used = settings;
    if (!used.skin_ratio) used.skin_ratio = lennard_jones_skin_ratio(sigma, cutoff);
    return short_range_force_with(TRELLIS_VARIANT(lennard_jones_kernels)(),
                                  LennardJones(epsilon, sigma, cutoff, truncation, switch_ratio), used);
}

}  // namespace trellis
