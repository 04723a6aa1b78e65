// The tiles of a block of particles with the particles that are listed near it. For kernel sources only.
//
// The near ones, some lanes of each of many blocks, are packed into full blocks, and their sums are unpacked again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "trellis/base/workspace.hpp"
#include "trellis/ensembles/kernels/block_lists.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I>
class ListedTiles {
  public:
    using Rows = TileRows<I>;
    using R = typename Rows::R;
    static constexpr std::size_t width = Rows::width;

    // Bytes of a workspace that take needs for `blocks` blocks.
    static std::size_t bytes(const Rows& rows, std::size_t blocks) {
        return Workspace::bytes_of<R>(room(blocks) * rows.components()) +
               Workspace::bytes_of<R>(2 * room(blocks) * rows.components()) +
               Workspace::bytes_of<R>(room(blocks) * rows.sums());
    }
    void take(const Rows& rows, Workspace& workspace, std::size_t blocks) {
        blocks_ = blocks;
        packed_ = workspace.take<R>(room(blocks) * rows.components());
        twice_ = workspace.take<R>(2 * room(blocks) * rows.components());
        packed_sums_ = workspace.take<R>(room(blocks) * rows.sums());
    }

    const BlockLists<I>& lists() const { return lists_; }
    void make_lists(const Rows& rows, std::span<Placed> particles) { lists_.make(rows, particles); }

    // Excludes a pair of slots, the first one of block a, the second of a later block. Pairs that are not near are
    // left.
    void exclude(std::size_t a, std::size_t slot, std::size_t later, TileMasks<width>& masks) const {
        constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
        std::size_t count = 0, found = nowhere;
        for (const NearLanes& each : lists_.of(a)) {
            const std::size_t lane = later % width;
            if (each.block == later / width && (each.mask >> lane & 1) != 0)
                found = count + static_cast<std::size_t>(__builtin_popcount(each.mask & ((1U << lane) - 1)));
            count += static_cast<std::size_t>(__builtin_popcount(each.mask));
        }
        if (found == nowhere) return;
        const std::size_t t = found / width;
        masks.exclude(a, t, slot % width, found % width, std::min(width, count - t * width));
    }

    // Adds the pairs of block a with the particles near it to the sums of both. staged, all_sums: arrays of all blocks.
    template <bool Periodic>
    void add_pairs(const Rows& rows, const TileMasks<width>& masks, std::size_t a, const R* staged, R* all_sums) {
        const std::span<const NearLanes> near = lists_.of(a);
        const std::size_t count = pack(rows, near, staged);
        const std::size_t tiles = (count + width - 1) / width;
        for (std::size_t c = 0; c < rows.sums(); ++c)
            std::fill_n(packed_sums_ + c * room(blocks_), tiles * width, R{0});
        const R* const of_a = staged + a * rows.components() * Rows::pitch;
        const BlockSums sums_of_a{all_sums + a * width, blocks_ * width};
        for (std::size_t t = 0; t < tiles; ++t) {
            const R* const tile = twice_ + t * rows.components() * Rows::pitch;
            const BlockSums of_tile{packed_sums_ + t * width, room(blocks_)};
            const PairMask mask = masks.tile(a, t, std::min(width, count - t * width));
            if (mask.first == nullptr)
                rows.template tile<Periodic, false, false>(of_a, tile, mask, sums_of_a, of_tile);
            else
                rows.template tile<Periodic, true, false>(of_a, tile, mask, sums_of_a, of_tile);
        }
        unpack(rows, near, all_sums);
    }

  private:
    // Values of one component: all slots, and one block more.
    static std::size_t room(std::size_t blocks) { return (blocks + 1) * width; }

    // Packs the fields of the near particles into `twice_`, tile after tile, and returns their number.
    std::size_t pack(const Rows& rows, std::span<const NearLanes> near, const R* staged) {
        std::size_t count = 0;
        for (const NearLanes& each : near) {
            const R* const block = staged + each.block * rows.components() * Rows::pitch;
            for (std::size_t c = 0; c < rows.components(); ++c)
                compress_lanes<R>(each.mask, load(block + c * Rows::pitch), packed_ + c * room(blocks_) + count);
            count += static_cast<std::size_t>(__builtin_popcount(each.mask));
        }
        for (std::size_t c = 0; c < rows.components(); ++c) {
            const R* const values = packed_ + c * room(blocks_);
            store_unaligned<R>(Vector<R>{}, packed_ + c * room(blocks_) + count);
            for (std::size_t t = 0; t * width < count; ++t) {
                R* const twice = twice_ + (t * rows.components() + c) * Rows::pitch;
                store<R>(load(values + t * width), twice);
                store<R>(load(values + t * width), twice + width);
            }
        }
        return count;
    }

    void unpack(const Rows& rows, std::span<const NearLanes> near, R* all_sums) const {
        std::size_t count = 0;
        for (const NearLanes& each : near) {
            for (std::size_t c = 0; c < rows.sums(); ++c) {
                if (!rows.summed(c)) continue;
                R* const values = all_sums + (c * blocks_ + each.block) * width;
                store<R>(load(values) + expand_lanes<R>(each.mask, packed_sums_ + c * room(blocks_) + count), values);
            }
            count += static_cast<std::size_t>(__builtin_popcount(each.mask));
        }
    }

    BlockLists<I> lists_;
    std::size_t blocks_ = 0;
    R *packed_ = nullptr, *twice_ = nullptr, *packed_sums_ = nullptr;
};

TRELLIS_ISA_END
}  // namespace trellis
