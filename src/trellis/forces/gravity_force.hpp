// Gravity as a tree force, by the kernels that suit this machine.
#pragma once

#include "trellis/forces/gravity.hpp"
#include "trellis/forces/tree_force.hpp"

namespace trellis {

// softening, g: see gravity. Throws InputError for a value out of range.
Gravity checked_gravity(double softening, double g);

// softening: length of the Plummer softening, >= 0; g: the gravitational constant, in the units of the particles; device: see TreeForce.
// Throws InputError for a value out of range.
std::unique_ptr<TreeForce> gravity(double softening, double g = 1, const ForceSettings& settings = {},
                                   std::shared_ptr<Device> device = nullptr);

}  // namespace trellis
