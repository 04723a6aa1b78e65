// Pairs of a group's i-particles with the j-particles within their search radius. For kernel sources only.
//
// The 16 i-particles of a block lie across the lanes, j-particles are taken one after the other and broadcast to all
// lanes: sums stay in registers, and a mask selects the pairs within the radius. The group's j-particles are rounded
// once, relative to its centre, and stay in the cache for all its blocks.
#pragma once

#include <algorithm>

#include "trellis/base/batch.hpp"
#include "trellis/base/workspace.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/forces/short_range/kernels/kind_rows.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"
#include "trellis/forces/short_range/kernels/neighbour_outcome.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <ShortRange I, class R>
class NeighbourPairs {
  public:
    using Target = typename I::Target;
    using Source = typename I::Source;
    using Outcome = OutcomeOf<I>;

    static constexpr std::size_t block = SearchTree::block_size;
    static constexpr int parts = static_cast<int>(block / lanes<R>);
    using V = Batch<R, parts>;
    using Sums = Record<Outcome, Gated<V>>;

    NeighbourPairs(const I& interaction, const NeighbourScene& scene, const NeighbourGroup& group, Workspace& workspace)
        : interaction_(interaction),
          scene_(scene),
          group_(group),
          stride_((group.j_count + 2 * block) / block * block),
          staged_(started(workspace).template take<R>(Source::components * stride_)),
          kind_rows_(interaction, stride_, workspace) {}

    Work run() {
        stage();
        Work work;
        for (std::uint32_t b = 0; b < group_.blocks(); ++b) {
            const std::uint32_t first = b * block, count = std::min<std::uint32_t>(block, group_.count - first);
            evaluate_block(b, first, count);
            work.pairs += (group_.list(b).size() + count - 1) * count;
        }
        work.cost = static_cast<double>(work.pairs);
        return work;
    }

  private:
    // Makes room for all arrays of this group.
    Workspace& started(Workspace& workspace) const {
        workspace.start(Workspace::bytes_of<R>(Source::components * stride_) +
                        KindRows<I, R, parts>::bytes(interaction_, stride_));
        return workspace;
    }

    // Stages the particles of the group and of its ranges, in the order of the numbers on lists.
    void stage() {
        std::size_t filled = 0;
        const auto put = [&](std::uint32_t first, std::size_t count, const Vec3<double>& shift) {
            const Vec3<double> centre = group_.centre - shift;
            for (std::size_t c = 0; c < Source::components; ++c) {
                const double* column = scene_.columns[c] + first;
                if (KindRows<I, R, parts>::is_kind(c))
                    kind_rows_.stage(column, count, filled);
                else
                    copy_shifted(column, c < 3 ? centre[c] : 0.0, count, staged_ + c * stride_ + filled);
            }
            filled += count;
        };
        put(group_.first, group_.count, {0, 0, 0});
        for (const SlotRange& range : group_.ranges)
            put(range.first, range.end - range.first, scene_.lists->shift(range.image));
    }

    [[gnu::always_inline]] Record<Source, V> source(std::size_t j) const {
        Record<Source, V> record;
        record.each_component([&](V& value, std::size_t c) { value = staged_[c * stride_ + j]; });
        return record;
    }

    // Target components of the block from slot first on; lanes behind the group's last particle are undefined.
    Record<Target, V> targets(std::uint32_t first) const {
        Record<Target, V> record;
        record.each_component([&](V& value, std::size_t c) {
            alignas(64) R values[block + 8];
            const double centre = c < 3 ? group_.centre[c] : 0.0;
            copy_shifted(scene_.columns[TargetComponents<I>::value[c]] + first, centre, block, values);
            unroll<parts>([&](auto k) { value.part[k] = load(values + static_cast<std::size_t>(k) * lanes<R>); });
        });
        return record;
    }

    [[gnu::flatten]] void evaluate_block(std::uint32_t b, std::uint32_t first, std::uint32_t count) {
        const auto target = targets(group_.first + first);
        kind_rows_.fill(target);
        Sums sums = outcome_of_no_pair<I, V>();
        const auto pair = [&](std::size_t j, const auto& also) __attribute__((always_inline)) {
            const auto other = source(j);
            const auto d = other[fields::position] - target[fields::position];
            const auto of_kinds = kind_rows_.with(j);
            const auto counts = also(dot(d, d) < reach_squared<V>(interaction_, target, other, of_kinds));
            sums.each_component([&](Gated<V>& sum, std::size_t) { sum.counts = counts; });
            add_pair(interaction_, target, other, of_kinds, sums);
        };
        for (const std::uint32_t j : group_.list(b)) pair(j, [](const auto& within) { return within; });
        const V lane = lane_numbers();
        for (std::uint32_t k = 0; k < count; ++k)
            pair(first + k, [&](const auto& within) { return within && lane != V(static_cast<R>(k)); });
        write(first, count, sums);
    }

    static V lane_numbers() {
        V lane;
        unroll<parts>([&](auto part) {
            lane.part[part] = trellis::lane_numbers<R>() + static_cast<R>(static_cast<std::size_t>(part) * lanes<R>);
        });
        return lane;
    }

    void write(std::uint32_t first, std::uint32_t count, Sums& sums) {
        alignas(64) R values[Outcome::components][block];
        sums.each_component([&](Gated<V>& sum, std::size_t c) {
            unroll<parts>(
                [&](auto k) { store(sum.total.part[k], values[c] + static_cast<std::size_t>(k) * lanes<R>); });
        });
        for (std::uint32_t lane = 0; lane < count; ++lane)
            write_outcome(interaction_, scene_, group_.first + first + lane,
                          [&](std::size_t c) { return static_cast<double>(values[c][lane]); });
    }

    const I& interaction_;
    const NeighbourScene& scene_;
    const NeighbourGroup& group_;
    std::size_t stride_;
    R* staged_;  // one array of stride_ for each component of Source
    KindRows<I, R, parts> kind_rows_;
};

TRELLIS_ISA_END
}  // namespace trellis
