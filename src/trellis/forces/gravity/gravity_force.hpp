// Gravity as a tree force, by the kernels that suit this machine.
#pragma once

#include <memory>

#include "trellis/forces/gravity/comoving_softening.hpp"
#include "trellis/forces/gravity/gravity_between_softenings.hpp"
#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/forces/tree/tree_force.hpp"

namespace trellis {

// softening, G: see gravity. Throws InputError for a value out of range.
Gravity checked_gravity(double softening, double G);
GravityBetweenSoftenings checked_gravity_between_softenings(double G);

// softening: length of the Plummer softening, >= 0; G: the gravitational constant, in the units of the particles;
// devices: see TreeForce. Throws InputError for a value out of range.
std::unique_ptr<TreeForce> gravity(double softening, double G = 1, const ForceSettings& settings = {},
                                   Devices devices = {});

// The same in expanding space, where times are scale factors, with a softening that has a physical maximum, above 0.
std::unique_ptr<TreeForce> gravity(const ComovingSoftening& softening, double G = 1, const ForceSettings& settings = {},
                                   Devices devices = {});

// The same with a softening of each particle: see GravityBetweenSoftenings. A type that is not named may have no
// particles.
std::unique_ptr<TreeForce> gravity(const SofteningOfEach& softening, double G = 1, const ForceSettings& settings = {},
                                   Devices devices = {});

// The longest step by the softening length, the same for all: see Force::longest_step. Infinite without softening.
double longest_step_of_gravity(double softening, const ParticleSet& particles);

}  // namespace trellis
