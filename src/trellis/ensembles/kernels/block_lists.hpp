// Lists of the particles of a system that are near each block, which serve several steps. For kernel sources only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/ensembles/kernels/block_order.hpp"
#include "trellis/ensembles/kernels/system_range.hpp"
#include "trellis/ensembles/kernels/tile_rows.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The lanes of a later block that are near, as bits of mask.
struct NearLanes {
    std::uint32_t block, mask;
};

template <class I>
class BlockLists {
  public:
    using Rows = TileRows<I>;
    static constexpr std::size_t width = Rows::width;

    // particles: their positions are relative to any of them. For a system that is too small for lists, the order alone
    // is made.
    void make(const Rows& rows, std::span<Placed> particles) {
        order_into_blocks(particles, width);
        blocks_ = (particles.size() + width - 1) / width;
        order_.resize(blocks_ * width);
        for (std::size_t k = 0; k < order_.size(); ++k) order_[k] = particles[std::min(k, particles.size() - 1)].number;
        near_.clear();
        begins_.assign(1, 0);
        if (particles.size() < least_listed) return;
        surround(particles);
        const float reach = static_cast<float>((1 + skin_of_lists) * range_of(rows.interaction()));
        for (std::size_t a = 0; a < blocks_; ++a) {
            for (std::size_t b = a + 1; b < blocks_; ++b)
                if (const std::uint32_t mask = near(rows, a, b, reach * reach) & lanes_of(b, particles.size()))
                    near_.push_back({static_cast<std::uint32_t>(b), mask});
            begins_.push_back(near_.size());
        }
    }

    bool made() const { return !begins_.empty(); }
    // The particle of each slot, block after block; open lanes hold any.
    const std::vector<std::uint32_t>& order() const { return order_; }
    std::span<const NearLanes> of(std::size_t block) const {
        return std::span(near_).subspan(begins_[block], begins_[block + 1] - begins_[block]);
    }

  private:
    using V = typename Rows::V;

    static std::uint32_t lanes_of(std::size_t block, std::size_t particles) {
        const std::size_t count = std::min(width, particles - block * width);
        return static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
    }

    // Copies the positions into columns, and finds the centre and half the sides of the box about each block.
    void surround(std::span<const Placed> particles) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            positions_[axis].resize(blocks_ * width);
            middle_[axis].resize(blocks_);
            half_[axis].resize(blocks_);
            for (std::size_t b = 0; b < blocks_; ++b) {
                float low = particles[b * width].x[axis], high = low;
                for (std::size_t lane = 0; lane < width; ++lane) {
                    const float x = particles[std::min(b * width + lane, particles.size() - 1)].x[axis];
                    positions_[axis][b * width + lane] = x;
                    low = std::min(low, x), high = std::max(high, x);
                }
                middle_[axis][b] = 0.5f * (low + high);
                half_[axis][b] = 0.5f * (high - low);
            }
        }
    }

    // The lanes of block b within reach of the box about block a.
    std::uint32_t near(const Rows& rows, std::size_t a, std::size_t b, float reach2) const {
        Vec3<V> x;
        for (std::size_t axis = 0; axis < 3; ++axis) x[axis] = load_unaligned(positions_[axis].data() + b * width);
        const Vec3<V> middle{V(middle_[0][a]), V(middle_[1][a]), V(middle_[2][a])};
        const Vec3<V> d = rows.box().template separation<true>(middle, x);
        V r2(0.0f);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const V beyond = max(max(d[axis], -d[axis]) - V(half_[axis][a]), V(0.0f));
            r2 += beyond * beyond;
        }
        return static_cast<std::uint32_t>(bits_of<float>(r2 < V(reach2)));
    }

    std::size_t blocks_ = 0;
    std::vector<std::uint32_t> order_;
    std::vector<float> positions_[3], middle_[3], half_[3];
    std::vector<NearLanes> near_;
    std::vector<std::size_t> begins_;
};

TRELLIS_ISA_END
}  // namespace trellis
