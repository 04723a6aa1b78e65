// Checks that the particles of all ranks, between which rows are exchanged, have the same columns and the same region.
#pragma once

#include <cstdint>

#include "trellis/particles/packed_rows.hpp"
#include "trellis/particles/particle_set.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// The columns of a range of ranks.
struct RankColumns {
    std::uint64_t hash;  // RowFormat::hash on the first rank
    int first;
    int unlike;  // the first rank with other columns; -1: all have the same
};

// The columns of this rank.
RankColumns columns_of(const Comm& comm, const RowFormat& own);
RankColumns joined(const RankColumns& low, const RankColumns& high);

// all: joined over all ranks. Throws the same InputError on every rank, naming the first rank whose columns differ from
// those of rank 0. Collective.
void check_same_columns(Comm& comm, const RowFormat& own, const RankColumns& all);

// The regions of a range of ranks.
struct RankRegions {
    Region of_first;
    int first;
    Region of_unlike;  // the region of rank unlike
    int unlike;        // the first rank with another region; -1: all have the same
};

// The region of this rank.
RankRegions regions_of(const Comm& comm, const ParticleSet& particles);
RankRegions joined(const RankRegions& low, const RankRegions& high);

// all: joined over all ranks. Throws the same InputError on every rank, naming the first rank whose region differs from
// that of rank 0.
void check_same_region(const RankRegions& all);

}  // namespace trellis
