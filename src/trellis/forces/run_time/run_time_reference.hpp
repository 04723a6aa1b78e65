// Direct summation with functions that are compiled at run time: the oracle.
#pragma once

#include <cstdint>
#include <span>

#include "trellis/particles/particle_set.hpp"

namespace trellis {

// See InteractionKernels::reference and NeighbourKernels::reference. pair: a RunTimePair.
void run_time_reference(const void* pair, const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row,
                        std::int64_t self, double* result);
void run_time_neighbour_reference(const void* pair, const ParticleSet& sources, const ParticleSet& targets,
                                  std::uint32_t row, std::int64_t self, std::span<const double> factors,
                                  double* result);

}  // namespace trellis
