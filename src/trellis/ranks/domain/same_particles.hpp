// Particles that pass between ranks have the same columns on all of them, and are in one region.
#pragma once

#include <cstdint>

#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// The columns of a stretch of ranks.
struct RankColumns {
    std::uint64_t hash;  // of the first rank's
    int first;
    int unlike;  // the first rank with other columns; -1: none
};

RankColumns columns_of(const Comm& comm, const ParticleSet& particles);  // of this rank
RankColumns joined(const RankColumns& low, const RankColumns& high);

// all: of all ranks. Throws the same InputError on every rank, naming the first whose columns are not those of rank 0.
void check_same_columns(Comm& comm, const ParticleSet& particles, const RankColumns& all);

// The regions of a stretch of ranks.
struct RankRegions {
    Region of_first;
    int first;
    Region of_unlike;  // of the first rank with another region
    int unlike;        // that rank; -1: none
};

RankRegions regions_of(const Comm& comm, const ParticleSet& particles);  // of this rank
RankRegions joined(const RankRegions& low, const RankRegions& high);

// all: of all ranks. Throws the same InputError on every rank, naming the first whose region is not that of rank 0.
void check_same_region(const RankRegions& all);

}  // namespace trellis
