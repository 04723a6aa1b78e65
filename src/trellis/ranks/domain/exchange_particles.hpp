// The exchange that brings particles to the ranks that own them.
#pragma once

#include <cstdint>
#include <span>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"
#include "trellis/ranks/domain/identities.hpp"

namespace trellis {

// The numbers of rows that left this rank and came to it.
struct Moved {
    std::uint64_t left = 0;
    std::uint64_t came = 0;
};

// Sends every row, with all its columns, to its owner (a rank for each row). Rows that stay keep their order; arrivals
// follow in the order of the ranks that they come from, and of their rows there. Where no row leaves or arrives, no
// column is touched. Collective. Throws InputError if an owner is no rank, or if the ranks' columns or regions differ;
// RunError if any particle was lost or doubled on the way, of several sites in check.finish().
Moved exchange_particles(Comm& comm, ParticleSet& particles, std::span<const int> owner, ArrivalCheck& check);

}  // namespace trellis
