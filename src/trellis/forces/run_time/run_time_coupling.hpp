// The field of an interaction that is compiled at run time, over its sources: see tree/shown_coupling.hpp.
#pragma once

#include <cstddef>
#include <span>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// See InteractionKernels::field_of_source and errors_of_field. pair: a RunTimePair that is expandable.
double run_time_field_of_source(const void* pair, double distance);
void run_time_errors_of_field(const void* pair, const ParticleSet& particles, std::size_t begin, std::size_t end,
                              std::span<double> errors);

}  // namespace trellis
