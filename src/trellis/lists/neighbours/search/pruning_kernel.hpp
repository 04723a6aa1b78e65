// The comparisons by which lists of clusters are pruned, compiled for each instruction set. A particle is a row of four
// values: its position relative to the centre of a group, and its search radius.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "trellis/base/isa.hpp"
#include "trellis/base/vec.hpp"

namespace trellis {

// A row has the position of its particle, and its search radius times the factor, plus the margin; both times
// per_length.
struct RowScale {
    double per_length, factor, margin;
};

// Writes the rows of `count` particles. radii: null for radii of 0.
TRELLIS_DECLARE_VARIANTS(void write_rows(const Vec3<double>* positions, const double* radii, std::size_t count,
                                         const Vec3<double>& centre, const RowScale& scale, float* rows))

// The i-particles of a cluster: 1 to 4 rows.
struct ClusterRows {
    const float* first;
    std::uint32_t count;

    // The row of an i-particle; behind the last one it is repeated.
    const float* row(std::size_t point) const { return first + 4 * std::min<std::size_t>(point, count - 1); }
};

// Writes those of `count` numbers of rows that are nearer to a row of the cluster than `reach`, in their order, and
// returns how many there are; out has room for count + 16.
TRELLIS_DECLARE_VARIANTS(std::size_t find_near_rows(const float* rows, const std::uint32_t* numbers,
                                                    std::uint32_t count, const ClusterRows& cluster, float reach,
                                                    std::uint32_t* out))

// The same by the larger search radius of both rows.
TRELLIS_DECLARE_VARIANTS(std::size_t find_rows_in_reach(const float* rows, const std::uint32_t* numbers,
                                                        std::uint32_t count, const ClusterRows& cluster,
                                                        std::uint32_t* out))

}  // namespace trellis
