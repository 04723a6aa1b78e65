#include "trellis/integrate/stepper.hpp"

#include <cmath>

#include "trellis/base/error.hpp"

namespace trellis {

void Stepper::run_until(double end, bool exact) {
    if (std::isnan(end)) throw InputError("end is nan: allowed is a time");
    while (!reached(end)) step(exact || !has_fixed_steps() ? end : unlimited);
}

void Stepper::run_steps(std::uint64_t count) {
    for (std::uint64_t k = 0; k < count; ++k) step();
}

}  // namespace trellis
