// Pairs of a group's i-particles with the j-particles within their search radius, by functions that are compiled at run
// time. For kernel sources only.
#pragma once

#include "trellis/forces/run_time/run_time_kind_rows.hpp"
#include "trellis/forces/run_time/run_time_outcome.hpp"
#include "trellis/forces/short_range/kernels/neighbour_stage.hpp"
#include "trellis/forces/short_range/kernels/outcome.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class R>
class RunTimeNeighbours : private NeighbourStage<RunTimePair, R> {
  public:
    using Stage = NeighbourStage<RunTimePair, R>;
    using Stage::Stage;

    Work run() {
        return this->each_cluster([&](const ListedCluster& cluster) { evaluate_cluster(cluster); });
    }

  private:
    // Lanes behind the group's last particle are undefined.
    void evaluate_cluster(const ListedCluster& cluster) {
        const RunTimePair& pair = this->interaction_;
        const std::uint32_t first = cluster.first;
        alignas(64) R targets[most_run_time_components * cluster_size + 8];
        for (std::size_t c = 0; c < pair.paired; ++c)
            copy_shifted(this->scene_.columns[this->numbers_.of_target(c)] + this->group_.first + first,
                         c < 3 ? this->group_.centre[c] : 0.0, cluster_size, targets + c * cluster_size);
        const R* const rows = this->kind_rows_.of_cluster(targets);
        const auto sum_pairs = [&](std::span<const std::uint32_t> list, std::uint32_t own, std::uint32_t end,
                                   double* values) {
            pair.loops<R>().cluster(pair.context(), targets, this->staged_, rows, list.data(), list.size(), first, own,
                                    end, this->absent_, values);
        };
        double values[most_run_time_components * cluster_size], some[most_run_time_components * cluster_size];
        sum_pairs(cluster.list, cluster.own, cluster.end, values);
        for (const GroupClusters::MaskedEntry& entry : cluster.masked) {
            sum_pairs({&entry.number, 1}, 0, 0, some);
            add_masked(entry, some, values);
        }
        for (std::uint32_t i = 0; i < cluster.count; ++i)
            write_run_time_outcome(pair, this->scene_, this->group_.first + first + i,
                                   [&](std::size_t c) { return values[c * cluster_size + i]; });
    }

    // Adds the pairs of a masked entry to the values of a cluster, each by its factor. What was computed for an
    // excluded pair, even if it is infinite, is dropped.
    void add_masked(const GroupClusters::MaskedEntry& entry, const double* of_entry, double* values) const {
        const RunTimePair& pair = this->interaction_;
        const OutcomeOrder order{pair.summed, pair.summed + pair.raised};
        for (std::size_t i = 0; i < cluster_size; ++i)
            for (std::size_t c = 0; c < pair.outcome_components() && entry.factors[i] != 0; ++c) {
                double& value = values[c * cluster_size + i];
                value = order.joined(c, value, order.scaled(c, of_entry[c * cluster_size + i], entry.factors[i]));
            }
    }
};

TRELLIS_ISA_END
}  // namespace trellis
