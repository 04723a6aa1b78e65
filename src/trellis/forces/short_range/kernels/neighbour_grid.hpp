// An interaction of short range as a grid kernel (devices/grid_kernel.hpp): an element is one i-particle, which
// interacts with the list of its block. The 16 elements of a block read the same rows one after the other, which a GPU
// loads once for all of them. The device `cpu` runs neighbour_lanes.hpp instead.
#pragma once

#include <tuple>

#include "trellis/devices/grid_kernel.hpp"
#include "trellis/forces/row_records.hpp"
#include "trellis/forces/short_range/kernels/kind_table.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "trellis/forces/short_range/kernels/outcome.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <ShortRange I, class R>
struct NeighbourGrid {
    using Target = Record<typename I::Target, R>;
    using Sums = Record<OutcomeOf<I>, Gated<R>>;
    struct alignas(16) Row {  // 16 bytes are what a thread reads at once
        R values[record_stride<I>];
    };

    static constexpr Phase phase = Phase::force_kernel;
    static constexpr bool uneven = true;

    I interaction;
    std::uint64_t elements;
    const Row* rows = nullptr;
    const ListedBlock* blocks = nullptr;  // the blocks that are evaluated
    const std::uint32_t* entries = nullptr;
    R* outcome = nullptr;      // component by component: a value for each element
    const R* table = nullptr;  // of an interaction by kinds: see KindTable
    auto arrays() { return std::tie(rows, blocks, entries, outcome, table); }
    auto sizes(std::uint64_t count) const {
        return array_sizes(1, (count + SearchTree::block_size - 1) / SearchTree::block_size, 0,
                           count > elements ? no_size : size_product(OutcomeOf<I>::components, elements),
                           size_of_table());
    }

    TRELLIS_HOST_DEVICE void operator()(std::size_t k) const {
        const ListedBlock block = blocks[k / SearchTree::block_size];
        const auto slot = static_cast<std::uint32_t>(k % SearchTree::block_size);
        Sums sums = no_pair();
        if (slot < block.count) {
            const Row own = rows[block.first + slot];
            const Target target = target_of<I, R>(own.values, own.values);
            const std::uint32_t others = block.masked == 0 ? block.count : 0;
            for (std::uint32_t e = 0; e < block.length; ++e) add_pair(own, target, entries[block.begin + e], sums);
            for (std::uint32_t other = 0; other < others; ++other)
                if (other != slot) add_pair(own, target, block.first + other, sums);
        }
        sums.each_component([&](Gated<R>& sum, std::size_t c) { outcome[c * elements + k] = sum.total; });
    }

  private:
    ArraySize size_of_table() const {
        if constexpr (ByKinds<I>)
            return kinds() > most_kinds ? no_size : kind_values(kinds(), I::OfKinds::components);
        else
            return ArraySize::if_present(0);
    }
    TRELLIS_INLINE std::uint32_t kinds() const {
        if constexpr (ByKinds<I>)
            return interaction.kinds.count;
        else
            return 0;
    }

  protected:
    TRELLIS_INLINE static Sums no_pair() {
        Sums sums = outcome_of_no_pair<I, R>();
        sums.each_component([](Gated<R>& sum, std::size_t) { sum.counts = true; });
        return sums;
    }

    // Positions are relative to the i-particle.
    TRELLIS_INLINE void add_pair(const Row& own, const Target& target, std::uint32_t number, Sums& sums) const {
        const Row row = rows[number];
        const auto source = source_of<I, R>(row.values, own.values);
        const auto d = source[fields::position] - target[fields::position];
        const auto of_kinds = parameters_of_pair<I>(table, kinds(), target, source);
        if (dot(d, d) < reach_squared<R>(interaction, target, source, of_kinds))
            trellis::add_pair(interaction, target, source, of_kinds, sums);
    }
};

TRELLIS_ISA_END
}  // namespace trellis
