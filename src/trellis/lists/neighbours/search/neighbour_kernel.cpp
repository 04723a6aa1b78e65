#include "trellis/lists/neighbours/search/neighbour_kernel.hpp"

#include "trellis/base/batch.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

// The distance to an interval; 0 inside.
[[gnu::always_inline]] inline Batch<float> outside(const Batch<float>& at, float low, float high) {
    return max(max(low - at, at - high), 0.0f);
}

[[gnu::always_inline]] inline Batch<float> at(const float* values, std::uint32_t k) {
    return load_unaligned(values + k);
}

}  // namespace

std::size_t find_near(const StagedPositions& positions, std::uint32_t begin, std::uint32_t end, const NearBox& box,
                      std::uint32_t* out) {
    constexpr auto width = static_cast<std::uint32_t>(lanes<float>);
    std::size_t found = 0;
    for (std::uint32_t k = begin; k < end; k += width) {
        const Batch<float> dx = outside(at(positions.x, k), box.low[0], box.high[0]);
        const Batch<float> dy = outside(at(positions.y, k), box.low[1], box.high[1]);
        const Batch<float> dz = outside(at(positions.z, k), box.low[2], box.high[2]);
        Batch<float> reach = box.reach;
        if (positions.reach != nullptr) reach = max(reach, at(positions.reach, k));
        unsigned long near = bits_of(dx * dx + dy * dy + dz * dz < reach * reach);
        if (end - k < width) near &= (1ul << (end - k)) - 1;
        std::uint32_t numbers[width];
        store_unaligned<std::uint32_t>(lane_numbers<std::uint32_t>() + k, numbers);
        found += compress(near, numbers, out + found);
    }
    return found;
}

std::size_t find_near_points(const StagedPositions& positions, const std::uint32_t* numbers, std::uint32_t count,
                             const ClusterPoints& points, std::uint32_t* out) {
    constexpr auto width = static_cast<std::uint32_t>(lanes<float>);
    std::size_t found = 0;
    for (std::uint32_t k = 0; k < count; k += width) {
        const Batch<float> x = at(positions.x, k), y = at(positions.y, k), z = at(positions.z, k);
        const Batch<float> of_j = positions.reach == nullptr ? Batch<float>(0.0f) : at(positions.reach, k);
        Batch<float>::Mask any(false);
        unroll<4>([&](auto point) __attribute__((always_inline)) {
            const Batch<float> dx = x - points.x[point], dy = y - points.y[point], dz = z - points.z[point];
            const Batch<float> reach = max(of_j, Batch<float>(points.reach[point])) + points.margin;
            any = any || dx * dx + dy * dy + dz * dz < reach * reach;
        });
        unsigned long near = bits_of(any);
        if (count - k < width) near &= (1ul << (count - k)) - 1;
        std::uint32_t of_batch[width];
        __builtin_memcpy(of_batch, numbers + k, sizeof(of_batch));
        found += compress(near, of_batch, out + found);
    }
    return found;
}

TRELLIS_ISA_END
}  // namespace trellis
