// The pairs of masked entries as a grid kernel: adds them, each by its factor, to the outcome of neighbour_grid.hpp. It
// is a kernel of its own, so that a force without excluded pairs needs no more registers.
#pragma once

#include <tuple>

#include "trellis/forces/short_range/kernels/neighbour_grid.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <ShortRange I, class R>
struct MaskedGrid : NeighbourGrid<I, R> {
    using Grid = NeighbourGrid<I, R>;
    using typename Grid::Row, typename Grid::Sums, typename Grid::Target;

    const double* factors = nullptr;  // see ListedBlock
    auto arrays() { return std::tie(this->rows, this->blocks, this->entries, factors, this->outcome, this->table); }
    auto sizes(std::uint64_t count) const {
        const auto [of_rows, of_blocks, of_entries, of_outcome, of_table] = Grid::sizes(count);
        return array_sizes(of_rows, of_blocks, of_entries, 0, of_outcome, of_table);
    }

    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const ListedBlock block = this->blocks[k / SearchTree::block_size];
        const auto slot = static_cast<std::uint32_t>(k % SearchTree::block_size);
        if (slot >= block.count || block.masked == 0) return;
        const Row own = this->rows[block.first + slot];
        const Target target = target_of<I, R>(own.values, own.values);
        Sums sums = Grid::no_pair();
        sums.each_component([&](Gated<R>& sum, std::size_t c) { sum.total = this->outcome[c * this->elements + k]; });
        for (std::uint32_t m = 0; m < block.masked; ++m) {
            const auto factor = static_cast<R>(factors[(block.first_mask + m) * SearchTree::block_size + slot]);
            if (factor == R(0)) continue;
            Sums pair = Grid::no_pair();
            this->add_pair(own, target, this->entries[block.begin + block.length + m], pair);
            join_scaled(pair, factor, sums);
        }
        sums.each_component([&](Gated<R>& sum, std::size_t c) { this->outcome[c * this->elements + k] = sum.total; });
    }

  private:
    TRELLIS_INLINE static void join_scaled(Sums& pair, R factor, Sums& sums) {
        std::size_t c = 0;
        zip(sums, pair, [&](Gated<R>& sum, const Gated<R>& of_pair) {
            constexpr OutcomeOrder order = outcome_order<I>;
            sum.total = order.joined(c, sum.total, order.scaled(c, of_pair.total, factor));
            ++c;
        });
    }
};

TRELLIS_ISA_END
}  // namespace trellis
