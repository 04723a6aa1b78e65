// The j-particles of a group, staged for its clusters. For kernel sources only.
//
// They are rounded once, relative to the group's centre, and stay in the cache for all its clusters, the values of each
// side by side.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "trellis/base/batch.hpp"
#include "trellis/base/workspace.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/forces/short_range/kernels/cluster_lanes.hpp"
#include "trellis/forces/short_range/kernels/kind_rows.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// A cluster of i-particles with its list: see GroupClusters.
struct ListedCluster {
    std::uint32_t first, count;  // of its particles: the number of the first, and how many they are
    std::span<const std::uint32_t> list;
    std::uint32_t own, end;  // its block, which is not on the list: the number of the first particle, and the end
    std::span<const GroupClusters::MaskedEntry> masked;
};

template <class I, class R>
class NeighbourStage {
  public:
    static constexpr std::size_t block = SearchTree::block_size;

    NeighbourStage(const I& interaction, const NeighbourScene& scene, const NeighbourGroup& group,
                   const GroupClusters& clusters, Workspace& workspace)
        : interaction_(interaction),
          numbers_(interaction),
          scene_(scene),
          group_(group),
          clusters_(clusters),
          absent_(group.j_count),
          stride_((group.j_count + 2 * block) / block * block),
          staged_(started(workspace).template take<R>(width() * stride_)),
          kind_rows_(interaction, stride_, workspace) {}

  protected:
    // Stages the j-particles, and calls evaluate_cluster(const ListedCluster&) for each cluster of which a particle is
    // wanted.
    template <class EvaluateCluster>
    Work each_cluster(const EvaluateCluster& evaluate_cluster) {
        stage();
        Work work;
        for (std::uint32_t first = 0; first < group_.count; first += block) {
            const std::uint32_t end = std::min<std::uint32_t>(first + block, group_.count);
            kind_rows_.fill(scene_.columns, group_.first + first);
            for (std::uint32_t i = first; i < end; i += cluster_size) {
                const std::uint32_t number = i / cluster_size, count = std::min<std::uint32_t>(cluster_size, end - i);
                if (!scene_.wants_any(group_.first + i, count)) continue;
                const auto masked = clusters_.masked_list(number);
                const std::uint32_t own = masked.empty() ? first : end;
                const ListedCluster cluster{i, count, clusters_.list(number), own, end, masked};
                evaluate_cluster(cluster);
                work.pairs += (cluster.list.size() + masked.size() + (end - own) - 1) * count;
            }
        }
        work.cost = static_cast<double>(work.pairs);
        return work;
    }

    std::size_t width() const { return (numbers_.source() + 3) / 4 * 4; }

    const I& interaction_;
    [[no_unique_address]] ComponentNumbers<I> numbers_;
    const NeighbourScene& scene_;
    const NeighbourGroup& group_;
    const GroupClusters& clusters_;
    std::uint32_t absent_;  // the number of a j-particle that is within no reach
    std::size_t stride_;    // the number of j-particles for which there is room
    R* staged_;             // width() values of each j-particle: the components of Source
    KindRows<I, R> kind_rows_;

  private:
    static constexpr std::size_t most_width = (ComponentNumbers<I>::most_source + 3) / 4 * 4;

    // Makes room for all arrays of this group.
    Workspace& started(Workspace& workspace) const {
        workspace.start(Workspace::bytes_of<R>(width() * stride_) + KindRows<I, R>::bytes(interaction_, stride_));
        return workspace;
    }

    // Stages the particles of the group and of its ranges, in the order of the numbers on lists, and behind them one
    // that is within no reach.
    void stage() {
        std::size_t filled = 0;
        const auto put = [&](std::uint32_t first, std::size_t count, const Vec3<double>& shift) {
            stage_some(first, count, group_.centre - shift, filled);
            filled += count;
        };
        put(group_.first, group_.count, {0, 0, 0});
        for (const SlotRange& range : group_.ranges)
            put(range.first, range.end - range.first, scene_.lists->shift(range.image));
        constexpr double far = std::is_same_v<R, float> ? 1e18 : 1e150;  // its square is finite
        for (std::size_t c = 0; c < width(); ++c) staged_[absent_ * width() + c] = static_cast<R>(c < 3 ? far : 0);
        kind_rows_.stage_absent(absent_, staged_ + absent_ * width());
    }

    // Stages j-particles, of the slots from `first` on, as the numbers from `number` on.
    void stage_some(std::size_t first, std::size_t count, const Vec3<double>& centre, std::size_t number) {
        if (width() == 4)  // most often: a constant
            stage_rows(4, first, count, centre, number);
        else
            stage_rows(width(), first, count, centre, number);
        for (std::size_t c = 3; c < numbers_.source(); ++c)
            if (KindRows<I, R>::is_kind(c)) kind_rows_.stage(scene_.rows + first * width() + c, width(), count, number);
    }

    // Rounds rows, one or two at a time, so that these are whole vectors of doubles. Up to a row too many is read and
    // written.
    [[gnu::always_inline]] void stage_rows(std::size_t row_width, std::size_t first, std::size_t count,
                                           const Vec3<double>& centre, std::size_t number) {
        const std::size_t length = row_width % lanes<double> == 0 ? row_width : 2 * row_width;
        alignas(64) double shifts[2 * most_width] = {};
        for (std::size_t row = 0; row < length; row += row_width) {
            for (std::size_t axis = 0; axis < 3; ++axis) shifts[row + axis] = centre[axis];
            kind_rows_.shift(shifts + row);
        }
        const double* in = scene_.rows + first * row_width;
        R* out = staged_ + number * row_width;
        for (const double* const end = in + count * row_width; in < end; in += length, out += length)
            for (std::size_t k = 0; k < length; k += lanes<double>)
                store_rounded(load_unaligned(in + k) - load(shifts + k), out + k);
    }
};

TRELLIS_ISA_END
}  // namespace trellis
