#include <algorithm>
#include <array>
#include <utility>

#include "trellis/base/batch.hpp"
#include "trellis/forces/tree/expansions/split_position.hpp"
#include "trellis/grape/kernels/cpu_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

using V = Batch<float>;

// The number of i-particles that share a pass over a tile: as many as can keep their sums in registers.
constexpr int together = lanes<float> == 16 ? 4 : 2;

// A tile of j-particles, padded with particles without mass. It stays in the first-level cache and serves all
// i-particles. A lane adds up 32 pair forces in single precision: among many more, small ones would be lost in the sum.
struct Tile {
    static constexpr std::size_t most = 32 * lanes<float>;
    alignas(64) float value[3][most], rest[3][most], mass[most];
    std::size_t padded;

    void fill(const PairsBlock& block, std::size_t first, std::size_t count) {
        const double per_length = 1 / block.length_unit, per_mass = 1 / block.mass_unit;
        padded = (count + lanes<float> - 1) / lanes<float> * lanes<float>;
        for (std::size_t k = 0; k < padded; ++k) {
            const std::size_t j = first + std::min(k, count - 1);
            const SplitPosition<float> position(per_length * block.sources[j]);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                value[axis][k] = position.value[axis];
                rest[axis][k] = position.rest[axis];
            }
            mass[k] = k < count ? static_cast<float>(block.masses[j] * per_mass) : 0;
        }
    }
};

struct Target {
    V value[3], rest[3];
    explicit Target(const SplitPosition<float>& position) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            value[axis] = position.value[axis];
            rest[axis] = position.rest[axis];
        }
    }
};

struct Sums {
    V x{}, y{}, z{}, potential{};
};

[[gnu::always_inline]] inline void add_pull(const Tile& tile, std::size_t k, const Target& i, const V& softening2,
                                            Sums& sums) {
    V d[3];
    unroll<3>([&](auto axis) __attribute__((always_inline)) {
        d[axis] = (load(tile.value[axis] + k) - i.value[axis]) + (load(tile.rest[axis] + k) - i.rest[axis]);
    });
    const V r2 = d[0] * d[0] + (d[1] * d[1] + (d[2] * d[2] + softening2));
    const V rinv = rsqrt(r2);
    const V m_r = load(tile.mass + k) * rinv;
    const V pull = m_r * (rinv * rinv);
    sums.x += pull * d[0];
    sums.y += pull * d[1];
    sums.z += pull * d[2];
    sums.potential += m_r;
}

template <int Count>
void add_tile(const Tile& tile, const PairsBlock& block, std::size_t first, const V& softening2) {
    const double per_length = 1 / block.length_unit;
    const auto targets = [&]<int... K>(std::integer_sequence<int, K...>) {
        return std::array<Target, Count>{Target(SplitPosition<float>(per_length * block.targets[first + K]))...};
    }(std::make_integer_sequence<int, Count>{});
    std::array<Sums, Count> sums;
    for (std::size_t k = 0; k < tile.padded; k += lanes<float>)
        unroll<Count>([&](auto i)
                          __attribute__((always_inline)) { add_pull(tile, k, targets[i], softening2, sums[i]); });
    for (std::size_t i = 0; i < Count; ++i) {
        GrapeForce& total = block.sums[first + i];
        total.acceleration += Vec3<float>{sum_of_lanes(sums[i].x), sum_of_lanes(sums[i].y), sum_of_lanes(sums[i].z)};
        total.potential += sum_of_lanes(sums[i].potential);
    }
}

}  // namespace

void sum_pairs(const PairsBlock& block) {
    const double softening = block.softening / block.length_unit;
    const V softening2 = static_cast<float>(softening * softening);
    std::fill_n(block.sums, block.target_count, GrapeForce{});
    Tile tile;
    for (std::size_t j = 0; j < block.source_count; j += Tile::most) {
        tile.fill(block, j, std::min(Tile::most, block.source_count - j));
        std::size_t i = 0;
        for (; i + together <= block.target_count; i += together) add_tile<together>(tile, block, i, softening2);
        for (; i < block.target_count; ++i) add_tile<1>(tile, block, i, softening2);
    }
    const double field_unit = block.mass_unit / block.length_unit;
    for (std::size_t i = 0; i < block.target_count; ++i) {
        block.sums[i].acceleration *= field_unit / block.length_unit;
        block.sums[i].potential *= field_unit;
    }
}

TRELLIS_ISA_END
}  // namespace trellis
