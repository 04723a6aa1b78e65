// Gravity as a tree force, by the kernels that suit this machine.
#pragma once

#include <memory>
#include <span>

#include "trellis/forces/gravity/comoving_softening.hpp"
#include "trellis/forces/gravity/gravity_between_softenings.hpp"
#include "trellis/forces/gravity/softening_of_each.hpp"
#include "trellis/forces/tree/force_by_tree.hpp"

namespace trellis {

// softening, G: see gravity. Throws InputError for a value out of range.
Gravity checked_gravity(double softening, double G);
GravityBetweenSoftenings checked_gravity_between_softenings(double G);

// softening: length of the Plummer softening, >= 0; G: the gravitational constant, in the units of the particles;
// devices: see TreeForce. Throws InputError for a value out of range.
std::unique_ptr<ForceByTree> gravity(double softening, double G = 1, const ForceSettings& settings = {},
                                     Devices devices = {});

// The same in expanding space, where times are scale factors, with a softening whose physical maximum is above 0.
std::unique_ptr<ForceByTree> gravity(const ComovingSoftening& softening, double G = 1,
                                     const ForceSettings& settings = {}, Devices devices = {});

// The same with a softening for each particle: see GravityBetweenSoftenings. A type without a softening must have no
// particles.
std::unique_ptr<ForceByTree> gravity(const SofteningOfEach& softening, double G = 1, const ForceSettings& settings = {},
                                     Devices devices = {});

// Lowers the steps of the active rows to the limit by the softening length, one for all particles: see
// Force::allowed_steps. No limit without softening.
void steps_of_gravity(double softening, const ParticleSet& particles, const ActiveRows& rows, std::span<double> steps);

// The same by the softening of each particle; those without have no limit.
void steps_of_gravity(const SofteningField& softenings, double time, const ParticleSet& particles,
                      const ActiveRows& rows, std::span<double> steps);

}  // namespace trellis
