// Particles that are to pass between ranks have the same columns on all of them.
#pragma once

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm.hpp"

namespace trellis {

// Throws the same InputError on every rank, naming the first whose columns are not those of rank 0.
void check_same_columns(Comm& comm, const ParticleSet& particles);

}  // namespace trellis
