// The field of an interaction that is compiled at run time, and its effect.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "trellis/base/vec.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// See InteractionKernels::field_of_source and results_of_field. pair: a RunTimePair that is expandable.
std::array<double, 2> run_time_field_of_source(const void* pair, double r2);
void run_time_results_of_field(const void* pair, const ParticleSet& particles, std::size_t first,
                               std::span<const double> phi, std::span<const Vec3<double>> gradients, double* values);

}  // namespace trellis
