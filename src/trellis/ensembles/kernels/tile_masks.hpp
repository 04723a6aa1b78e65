// Which pairs of a tile count, where not all do: in a block with open lanes, and where pairs are excluded. For kernel
// sources only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/base/batch.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// In turn t, the pair of lane k counts where first[t * stride + k] is above 0. first: null if all pairs count.
struct PairMask {
    const float* first = nullptr;
    std::size_t stride = 0;
};

// The masks of tiles with a block of which the first `particles` lanes alone have particles; own: of its own tile.
template <std::size_t width>
class OpenLanes {
  public:
    constexpr OpenLanes() {
        for (std::size_t particles = 0; particles < width; ++particles) {
            for (std::size_t lane = 0; lane < 2 * width; ++lane)
                twice_[particles][lane] = lane % width < particles ? 1.0f : 0.0f;
            for (std::size_t turn = 0; turn <= width / 2; ++turn)
                for (std::size_t lane = 0; lane < particles; ++lane)
                    own_[particles][turn][lane] = twice_[particles][turn + lane];
        }
    }
    constexpr PairMask mask(bool own, std::size_t particles) const {
        if (particles == width) return {};
        return own ? PairMask{own_[particles][0], width} : PairMask{twice_[particles], 1};
    }

  private:
    float twice_[width][2 * width] = {};
    float own_[width][width / 2 + 1][width] = {};
};
template <std::size_t width>
inline constexpr OpenLanes<width> open_lanes{};

// The masks of all tiles of a system: tile t of block a, and its own tile.
template <std::size_t width>
class TileMasks {
  public:
    // Forgets all excluded pairs; a block has at most as many tiles as there are blocks.
    void start(std::size_t blocks) {
        blocks_ = blocks;
        numbers_.assign(blocks * (blocks + 1), 0);
        values_.clear();
    }
    // Excludes a pair of lanes. particles: the number in the block whose lane is lane_of_j.
    void exclude(std::size_t a, std::size_t t, std::size_t lane_of_i, std::size_t lane_of_j, std::size_t particles) {
        clear(table(a, 1 + t, particles), lane_of_i, lane_of_j);
    }
    void exclude_own(std::size_t a, std::size_t one, std::size_t other, std::size_t particles) {
        float* const values = table(a, 0, particles);
        clear(values, one, other);
        clear(values, other, one);
    }

    PairMask own(std::size_t a, std::size_t particles) const { return mask(a, 0, particles); }
    PairMask tile(std::size_t a, std::size_t t, std::size_t particles) const { return mask(a, 1 + t, particles); }

  private:
    static constexpr std::size_t size = width * width;  // of a table: a row for each turn

    // which: 0 for a block's own tile.
    PairMask mask(std::size_t a, std::size_t which, std::size_t particles) const {
        if (!values_.empty())
            if (const std::uint32_t number = numbers_[a * (blocks_ + 1) + which]; number > 0)
                return {values_.data() + (number - 1) * size, width};
        return open_lanes<width>.mask(which == 0, particles);
    }
    float* table(std::size_t a, std::size_t which, std::size_t particles) {
        std::uint32_t& number = numbers_[a * (blocks_ + 1) + which];
        if (number == 0) {
            number = static_cast<std::uint32_t>(values_.size() / size + 1);
            values_.resize(values_.size() + size, 1.0f);
            const PairMask open = open_lanes<width>.mask(which == 0, particles);
            const std::size_t turns = which == 0 ? width / 2 + 1 : width;
            for (std::size_t turn = 0; turn < turns && open.first != nullptr; ++turn)
                std::copy_n(open.first + turn * open.stride, width,
                            values_.data() + values_.size() - size + turn * width);
        }
        return values_.data() + (number - 1) * size;
    }
    static void clear(float* values, std::size_t lane_of_i, std::size_t lane_of_j) {
        values[(lane_of_j + width - lane_of_i) % width * width + lane_of_i] = 0;
    }

    std::size_t blocks_ = 0;
    std::vector<std::uint32_t> numbers_;  // of the tables, from 1; 0: none
    std::vector<float> values_;           // table after table
};

TRELLIS_ISA_END
}  // namespace trellis
