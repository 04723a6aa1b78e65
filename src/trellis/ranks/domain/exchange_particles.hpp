// The exchange of particles: each row moves to the rank that owns it.
#pragma once

#include <cstdint>
#include <span>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/domain/identities.hpp"

namespace trellis {

// The numbers of rows that left this rank and that arrived.
struct Moved {
    std::uint64_t left = 0;
    std::uint64_t came = 0;
};

// Sends every row, with all of its columns, to the rank owner[row]; collective. Rows that stay keep their order;
// arrivals follow in the order of their former ranks, and of their rows there. If no row leaves or arrives, no column
// is touched. Throws InputError if an owner is not a rank, or if the columns or regions of ranks differ; RunError if a
// particle was lost or doubled, between sites in check.finish().
Moved exchange_particles(Comm& comm, ParticleSet& particles, std::span<const int> owner, ArrivalCheck& check);

}  // namespace trellis
