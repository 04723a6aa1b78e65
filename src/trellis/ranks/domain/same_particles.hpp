// Particles that pass between ranks have the same columns on all of them, and are in one region.
#pragma once

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// Throws the same InputError on every rank, naming the first whose columns are not those of rank 0.
void check_same_columns(Comm& comm, const ParticleSet& particles);

// Throws the same InputError on every rank, naming the first whose region is not that of rank 0.
void check_same_region(Comm& comm, const ParticleSet& particles);

}  // namespace trellis
