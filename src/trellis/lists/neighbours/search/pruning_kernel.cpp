#include "trellis/lists/neighbours/search/pruning_kernel.hpp"

#include <algorithm>

#include "trellis/base/batch.hpp"
#include "trellis/lists/neighbours/search/fours.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

void write_rows(const Vec3<double>* positions, const double* radii, std::size_t count, const Vec3<double>& centre,
                const RowScale& scale, float* rows) {
    using Four [[gnu::vector_size(4 * sizeof(double))]] = double;
    using Row [[gnu::vector_size(4 * sizeof(float))]] = float;
    const Four from{centre.x, centre.y, centre.z, 0};
    for (std::size_t k = 0; k < count; ++k) {
        const double reach = radii == nullptr ? 0 : radii[k] * scale.factor + scale.margin;
        const Four at{positions[k].x, positions[k].y, positions[k].z, reach};
        const Row row = __builtin_convertvector(scale.per_length * (at - from), Row);
        __builtin_memcpy(rows + 4 * k, &row, sizeof(row));
    }
}

namespace {

// The test for one reach: particles at a squared distance d2 from a point of the cluster are within reach of it where
// the value is below `limit`.
struct OneReach {
    Batch<float> limit;

    [[gnu::always_inline]] Batch<float> operator()(const Batch<float>& d2, std::size_t /*point*/,
                                                   const Vector<float>& /*reach*/) const {
        return d2;
    }
};

// The test for the larger reach of the point and of the other particle.
struct LargerReach {
    Batch<float> reach2[4];  // of the points
    Batch<float> limit = 0.0F;

    [[gnu::always_inline]] Batch<float> operator()(const Batch<float>& d2, std::size_t point,
                                                   const Vector<float>& reach) const {
        return d2 - max(reach2[point], Batch<float>(reach * reach));
    }
};

// Which rows of a list are within reach of a cluster.
template <class Reach>
[[gnu::always_inline]] inline std::size_t find_rows(const float* rows, const std::uint32_t* numbers,
                                                    std::uint32_t count, const ClusterRows& cluster, const Reach& reach,
                                                    std::uint32_t* out) {
    constexpr auto width = static_cast<std::uint32_t>(lanes<float>);
    constexpr std::uint32_t ahead = 256;  // numbers of later clusters, which are too many for the cache
    Batch<float> x[4], y[4], z[4];        // of the i-particles; behind the last one it is repeated
    unroll<4>([&](auto point) __attribute__((always_inline)) {
        const float* row = cluster.row(point);
        x[point] = row[0];
        y[point] = row[1];
        z[point] = row[2];
    });
    std::size_t found = 0;
    std::uint32_t last[width];
    for (std::uint32_t k = 0; k < count; k += width) {
        const std::uint32_t* batch = numbers + k;
        if (count - k < width) {
            for (std::uint32_t lane = 0; lane < width; ++lane) last[lane] = numbers[std::min(k + lane, count - 1)];
            batch = last;
        }
        prefetch(numbers + k + ahead, width);
        Vector<float> fours[4];
        unroll<4>([&](auto part) __attribute__((always_inline)) {
            fours[part] = side_by_side<float>([&](std::size_t u) __attribute__((always_inline)) {
                return rows + std::size_t{4} * batch[4 * u + static_cast<std::size_t>(part)];
            });
        });
        transpose_fours(fours);
        Batch<float> least = reach.limit;
        unroll<4>([&](auto point) __attribute__((always_inline)) {
            const Batch<float> dx = fours[0] - x[point], dy = fours[1] - y[point], dz = fours[2] - z[point];
            least = min(least, reach(dx * dx + dy * dy + dz * dz, point, fours[3]));
        });
        unsigned long near = bits_of(least < reach.limit);
        if (count - k < width) near &= (1ul << (count - k)) - 1;
        std::uint32_t of_batch[width];
        __builtin_memcpy(of_batch, batch, sizeof(of_batch));
        found += compress(near, of_batch, out + found);
    }
    return found;
}

}  // namespace

std::size_t find_near_rows(const float* rows, const std::uint32_t* numbers, std::uint32_t count,
                           const ClusterRows& cluster, float reach, std::uint32_t* out) {
    return find_rows(rows, numbers, count, cluster, OneReach{reach * reach}, out);
}

std::size_t find_rows_in_reach(const float* rows, const std::uint32_t* numbers, std::uint32_t count,
                               const ClusterRows& cluster, std::uint32_t* out) {
    LargerReach reach;
    for (std::size_t point = 0; point < 4; ++point) {
        const float own = cluster.row(point)[3];
        reach.reach2[point] = own * own;
    }
    return find_rows(rows, numbers, count, cluster, reach, out);
}

TRELLIS_ISA_END
}  // namespace trellis
