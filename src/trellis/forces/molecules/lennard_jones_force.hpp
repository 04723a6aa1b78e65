// Lennard-Jones as a force, by the kernels that suit this machine.
#pragma once

#include "trellis/forces/molecules/lennard_jones.hpp"
#include "trellis/forces/short_range/short_range_force.hpp"

namespace trellis {

// epsilon, sigma, cutoff, all above 0: see LennardJones. Throws InputError for a value out of range.
std::unique_ptr<ShortRangeForce> lennard_jones(double epsilon, double sigma, double cutoff,
                                               Truncation truncation = Truncation::plain,
                                               const ShortRangeSettings& settings = {});

}  // namespace trellis
