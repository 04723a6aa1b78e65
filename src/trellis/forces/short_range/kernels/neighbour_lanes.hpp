// The kernels of neighbour_grid.hpp and masked_grid.hpp on the processor: a lane for each i-particle of a block, which
// share its list. For kernel sources only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "trellis/base/batch.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/devices/grid_kernel.hpp"
#include "trellis/forces/short_range/kernels/kind_rows.hpp"
#include "trellis/forces/short_range/kernels/masked_grid.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The parameters of i-particles, one for each lane, with each kind of j-particle; of interactions without kinds: none.
template <class I, class R>
struct LaneKinds {
    LaneKinds(const NeighbourGrid<I, R>&, const Record<typename I::Target, Batch<R>>&) {}
    TRELLIS_INLINE NoKinds with(const Record<typename I::Source, Batch<R>>&) const { return {}; }
};

template <ByKinds I, class R>
struct LaneKinds<I, R> {
    static constexpr std::size_t components = I::OfKinds::components;

    LaneKinds(const NeighbourGrid<I, R>& grid, const Record<typename I::Target, Batch<R>>& target)
        : count_(grid.interaction.kinds.count) {
        LaneNumbers<R> numbers;
        for (std::size_t lane = 0; lane < lanes<R>; ++lane)
            numbers[lane] = static_cast<typename LaneNumbersOf<R>::Number>(
                kind_of(target[fields::particle_kind].part[0][lane], count_));
        const std::size_t pieces = (count_ + kinds_at_once<R> - 1) / kinds_at_once<R>;
        for (std::size_t row = 0; row < count_ * components; ++row)
            store(look_up(grid.table + row * kind_stride(count_), pieces, numbers), rows_[row]);
    }

    TRELLIS_INLINE Record<typename I::OfKinds, Batch<R>> with(const Record<typename I::Source, Batch<R>>& j) const {
        const std::size_t first = components * kind_of(j[fields::particle_kind].part[0][0], count_);
        Record<typename I::OfKinds, Batch<R>> record;
        record.each_component([&](Batch<R>& value, std::size_t c) { value.part[0] = load(rows_[first + c]); });
        return record;
    }

  private:
    std::uint32_t count_;
    alignas(64) R rows_[most_kinds * components][lanes<R>];  // of each kind of j-particle, its components
};

// The i-particles of a block that fill a vector, from a slot on.
template <ShortRange I, class R>
class NeighbourLanes {
  public:
    using Grid = NeighbourGrid<I, R>;
    using V = Batch<R>;
    using Mask = typename V::Mask;
    using Sums = Record<OutcomeOf<I>, Gated<V>>;

    static constexpr std::uint32_t width = lanes<R>;
    static_assert(SearchTree::block_size % width == 0);

    // Slots without an i-particle have the values of the last one. There is at least one.
    NeighbourLanes(const Grid& grid, const ListedBlock& block, std::uint32_t slot)
        : grid_(grid), block_(block), slot_(slot), kinds_(grid, targets()) {}

    // Adds the pairs of the list, and those of the block itself if it is not among masked entries.
    [[gnu::flatten, gnu::noinline]] void add_listed(Sums& sums) const {
        const auto target = target_;
        const Mask present = numbers_ < V(static_cast<R>(block_.count));
        const std::uint32_t others = block_.masked == 0 ? block_.count : 0;
        for (std::uint32_t e = 0; e < block_.length; ++e) add(target, grid_.entries[block_.begin + e], present, sums);
        for (std::uint32_t other = 0; other < others; ++other)
            add(target, block_.first + other, present && numbers_ != V(static_cast<R>(other)), sums);
    }

    // Adds the pairs of masked entries. factors: of each entry and slot.
    [[gnu::flatten, gnu::noinline]] void add_masked(const double* factors, Sums& sums) const {
        const auto target = target_;
        const Mask present = numbers_ < V(static_cast<R>(block_.count));
        for (std::uint32_t m = 0; m < block_.masked; ++m) {
            const double* of_entry = factors + (block_.first_mask + m) * SearchTree::block_size + slot_;
            V factor;
            for (std::uint32_t lane = 0; lane < width; ++lane) factor.part[0][lane] = static_cast<R>(of_entry[lane]);
            Sums pairs = outcome_of_no_pair<I, V>();
            add(target, grid_.entries[block_.begin + block_.length + m], present && factor != V(R(0)), pairs);
            std::size_t c = 0;
            zip(sums, pairs, [&](Gated<V>& sum, const Gated<V>& of_pairs) {
                constexpr OutcomeOrder order = outcome_order<I>;
                sum.total = order.joined(c, sum.total, order.scaled(c, of_pairs.total, factor));
                ++c;
            });
        }
    }

  private:
    using Target = Record<typename I::Target, V>;

    // Reads the rows of the i-particles, whose positions relative to themselves are 0.
    const Target& targets() {
        for (std::uint32_t lane = 0; lane < width; ++lane) {
            const auto& row = grid_.rows[block_.first + std::min(slot_ + lane, block_.count - 1)];
            for (std::size_t k = 0; k < record_stride<I>; ++k) own_[k].part[0][lane] = row.values[k];
            numbers_.part[0][lane] = static_cast<R>(slot_ + lane);
        }
        constexpr auto components = TargetComponents<I>::value;
        target_.each_component(
            [&](V& value, std::size_t c) { value = components[c] < 3 ? V(R(0)) : own_[place_in_row(components[c])]; });
        return target_;
    }

    // Adds the pairs with one j-particle of those lanes that count.
    [[gnu::always_inline]] void add(const Target& target, std::uint32_t number, const Mask& counts, Sums& sums) const {
        const auto& row = grid_.rows[number].values;
        Record<typename I::Source, V> source;
        source.each_component([&](V& value, std::size_t c) {
            value = c < 3 ? V(V(row[c]) - own_[c]) + V(V(row[c + 3]) - own_[c + 3]) : V(row[place_in_row(c)]);
        });
        const auto d = source[fields::position] - target[fields::position];
        const auto of_kinds = kinds_.with(source);
        const Mask within = counts && dot(d, d) < reach_squared<V>(grid_.interaction, target, source, of_kinds);
        sums.each_component([&](Gated<V>& sum, std::size_t) { sum.counts = within; });
        add_pair(grid_.interaction, target, source, of_kinds, sums);
    }

    const Grid& grid_;
    const ListedBlock& block_;
    std::uint32_t slot_;
    V own_[record_stride<I>];
    V numbers_;  // of the slots
    Target target_;
    LaneKinds<I, R> kinds_;
};

// Runs a kernel over the blocks of a launch. act(lanes, sums): adds pairs to sums, which begin with what the outcome
// has if `further`, else with no pair.
template <ShortRange I, class R, bool further, class Grid, class Act>
void run_lanes(const GridCall<Grid>& bound, const Act& act) {
    using Lanes = NeighbourLanes<I, R>;
    constexpr std::size_t block_size = SearchTree::block_size;
    const Grid& grid = bound.body;
    parallel_tasks((bound.count + block_size - 1) / block_size, [&](std::size_t b, int) {
        const ListedBlock block = grid.blocks[b];
        for (std::uint32_t slot = 0; slot < block_size; slot += Lanes::width) {
            const std::size_t first = b * block_size + slot;
            if (first >= bound.count) break;
            const std::size_t count = std::min<std::size_t>(Lanes::width, bound.count - first);
            auto sums = outcome_of_no_pair<I, Batch<R>>();
            alignas(64) R values[Lanes::width] = {};
            if constexpr (further)
                sums.each_component([&](Gated<Batch<R>>& sum, std::size_t c) {
                    std::copy_n(grid.outcome + c * grid.elements + first, count, values);
                    sum.total.part[0] = load(values);
                });
            if (slot < block.count) act(Lanes(grid, block, slot), sums);
            sums.each_component([&](Gated<Batch<R>>& sum, std::size_t c) {
                store(sum.total.part[0], values);
                std::copy_n(values, count, grid.outcome + c * grid.elements + first);
            });
        }
    });
}

template <ShortRange I, class R>
void run_neighbours(const KernelCall& call) {
    run_lanes<I, R, false>(grid_call<NeighbourGrid<I, R>>(call),
                           [](const auto& lanes, auto& sums) { lanes.add_listed(sums); });
}

template <ShortRange I, class R>
void run_masked(const KernelCall& call) {
    const auto bound = grid_call<MaskedGrid<I, R>>(call);
    run_lanes<I, R, true>(bound, [&](const auto& lanes, auto& sums) { lanes.add_masked(bound.body.factors, sums); });
}

TRELLIS_ISA_END
}  // namespace trellis
