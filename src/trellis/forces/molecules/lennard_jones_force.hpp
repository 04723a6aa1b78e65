// Lennard-Jones as a force, by the kernels that suit this machine.
#pragma once

#include "trellis/forces/molecules/lennard_jones.hpp"
#include "trellis/forces/molecules/mixture.hpp"
#include "trellis/forces/short_range/short_range_force.hpp"

namespace trellis {

// The ratio of the skin that is used where none is given. In a liquid of such atoms, wider lists serve for about as
// much longer as they have more to test; the optimum is flat. cutoff: that within which lists are searched.
double lennard_jones_skin_ratio(double sigma, double cutoff);
// The same for the largest sigma and the largest cutoff of a mixture.
double lennard_jones_skin_ratio(const Mixture& mixture);

// epsilon, sigma, cutoff, all above 0: see LennardJones. switch_ratio: the switching distance over the cutoff, at least
// 0 and below 1. Throws InputError for a value out of range.
std::unique_ptr<ShortRangeForce> lennard_jones(double epsilon, double sigma, double cutoff,
                                               Truncation truncation = Truncation::plain,
                                               const ShortRangeSettings& settings = {},
                                               double switch_ratio = default_switch_ratio);

// Between atoms of several kinds. The kind of an atom is its field `kind`, 0, 1, ... in the order of the mixture.
// Without that field, atoms whose field `type` is one of Gadget's types are of the kind with that type's name. The
// search radius is the largest cutoff. Throws InputError as parameters_of_pairs; attach and dispatch throw it for atoms
// without a kind, or of one that the mixture does not have.
std::unique_ptr<ShortRangeForce> lennard_jones(const Mixture& mixture, const ShortRangeSettings& settings = {});

}  // namespace trellis
