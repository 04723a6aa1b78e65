// The comparisons by which lists of clusters are pruned, compiled for each instruction set. A particle is a row of four
// values, of which the first three are its position relative to the centre of a group.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/isa.hpp"
#include "trellis/base/vec.hpp"

namespace trellis {

// Writes the rows of `count` particles, their positions relative to the centre times per_length.
TRELLIS_DECLARE_VARIANTS(void write_rows(const Vec3<double>* positions, std::size_t count, const Vec3<double>& centre,
                                         double per_length, float* rows))

// The i-particles of a cluster: 1 to 4 rows.
struct ClusterRows {
    const float* first;
    std::uint32_t count;
};

// Writes those of `count` numbers of rows that are nearer to a row of the cluster than `reach`, in their order, and
// returns how many there are; out has room for count + 16.
TRELLIS_DECLARE_VARIANTS(std::size_t find_near_rows(const float* rows, const std::uint32_t* numbers,
                                                    std::uint32_t count, const ClusterRows& cluster, float reach,
                                                    std::uint32_t* out))

}  // namespace trellis
