// Pairs of a group's i-particles with the j-particles within their search radius. For kernel sources only.
//
// A cluster of 4 i-particles is evaluated with the j-particles on its list, as many at once as lanes allow
// (cluster_lanes.hpp): sums stay in registers, and a mask selects the pairs within the radius.
#pragma once

#include <array>
#include <span>

#include "trellis/forces/short_range/kernels/neighbour_outcome.hpp"
#include "trellis/forces/short_range/kernels/neighbour_stage.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <ShortRange I, class R>
class NeighbourPairs : private NeighbourStage<I, R> {
  public:
    using Target = typename I::Target;
    using Source = typename I::Source;
    using Outcome = OutcomeOf<I>;
    using V = ClusterBatch<R>;
    using Sums = Record<Outcome, Gated<V>>;
    using Stage = NeighbourStage<I, R>;

    static constexpr std::size_t at_once = j_at_once<R>, fours = (Source::components + 3) / 4, width = 4 * fours;
    using Numbers = std::array<std::uint32_t, at_once>;  // of j-particles

    using Stage::Stage;

    Work run() {
        return this->each_cluster([&](const ListedCluster& cluster) { evaluate_cluster(cluster); });
    }

  private:
    using Stage::absent_;
    using Stage::block;
    using Stage::group_;
    using Stage::interaction_;
    using Stage::kind_rows_;
    using Stage::scene_;
    using Stage::staged_;

    [[gnu::always_inline]] Record<Source, V> sources(const Numbers& j) const {
        Record<Source, V> record;
        if constexpr (at_once == 1) {
            record.each_component([&](V& value, std::size_t c) { value = staged_[j[0] * width + c]; });
        } else {
            Vector<R> rows[fours];
            unroll<static_cast<int>(fours)>([&](auto four) __attribute__((always_inline)) {
                rows[four] = side_by_side<R>([&](std::size_t u) __attribute__((always_inline)) {
                    return staged_ + j[u] * width + static_cast<std::size_t>(four) * 4;
                });
            });
            record.each_component([&](V& value, std::size_t c) { value = spread<R>(rows[c / 4], c % 4); });
        }
        return record;
    }

    // Target components of the cluster from slot first on; lanes behind the group's last particle are undefined.
    Record<Target, V> targets(std::uint32_t first) const {
        Record<Target, V> record;
        record.each_component([&](V& value, std::size_t c) {
            alignas(64) R values[cluster_size + 8];
            const double centre = c < 3 ? group_.centre[c] : 0.0;
            copy_shifted(scene_.columns[TargetComponents<I>::value[c]] + first, centre, cluster_size, values);
            value = of_each_i(values);
        });
        return record;
    }

    // Values of the lanes of a cluster for each component of the outcome.
    using LaneValues = R[Outcome::components][V::size()];

    void evaluate_cluster(const ListedCluster& cluster) {
        alignas(64) LaneValues values;
        sum_pairs(cluster.first, cluster.list, cluster.own, cluster.end, values);
        if (!cluster.masked.empty()) add_masked(cluster.first, cluster.masked, values);
        double totals[Outcome::components][cluster_size];
        for (std::size_t c = 0; c < Outcome::components; ++c) join_lanes(c, values[c], totals[c]);
        for (std::uint32_t i = 0; i < cluster.count; ++i)
            write_outcome(interaction_, scene_, group_.first + cluster.first + i,
                          [&](std::size_t c) { return totals[c][i]; });
    }

    // Adds pairs with j-particles to sums. also(within): which pairs count of those within the search radius.
    template <class Also>
    [[gnu::always_inline]] void add_pairs(std::uint32_t first, const Record<Target, V>& target, const Numbers& j,
                                          const Also& also, Sums& sums) const {
        const auto other = sources(j);
        const auto d = other[fields::position] - target[fields::position];
        const auto of_kinds = kind_rows_.with(j, first % block);
        const auto counts = also(dot(d, d) < reach_squared<V>(interaction_, target, other, of_kinds));
        sums.each_component([&](Gated<V>& sum, std::size_t) { sum.counts = counts; });
        add_pair(interaction_, target, other, of_kinds, sums);
    }

    // Sums over the j-particles of a list and over those of a block, the numbers from `own` to `end`. first: the number
    // of the cluster's first particle.
    [[gnu::flatten, gnu::noinline]] void sum_pairs(std::uint32_t first, std::span<const std::uint32_t> list,
                                                   std::uint32_t own, std::uint32_t end, LaneValues& values) const {
        const auto target = targets(group_.first + first);
        Sums sums = outcome_of_no_pair<I, V>();
        const auto pairs = [&](const Numbers& j, const auto& also)
                               __attribute__((always_inline)) { add_pairs(first, target, j, also, sums); };
        const auto next = [&](const auto& number, std::size_t left) __attribute__((always_inline)) {
            Numbers j;
            for (std::size_t u = 0; u < at_once; ++u) j[u] = u < left ? number(u) : absent_;
            return j;
        };
        std::size_t k = 0;
        for (; k + at_once <= list.size(); k += at_once)
            pairs(next([&](std::size_t u) { return list[k + u]; }, at_once), [](const auto& within) { return within; });
        if (k < list.size())
            pairs(next([&](std::size_t u) { return list[k + u]; }, list.size() - k),
                  [](const auto& within) { return within; });
        const V lane = numbers_of_i();
        for (std::uint32_t j = own; j < end; j += at_once) {
            const V apart = numbers_of_j() + static_cast<R>(j) - static_cast<R>(first);
            pairs(next([&](std::size_t u) { return j + static_cast<std::uint32_t>(u); }, end - j),
                  [&](const auto& within) { return within && lane != apart; });
        }
        sums.each_component([&](Gated<V>& sum, std::size_t c) { store_lanes(sum.total, values[c]); });
    }

    // Adds the pairs of masked entries to the values of the lanes, each by its factor. What is computed for an excluded
    // pair, even if it is infinite, is dropped.
    [[gnu::flatten, gnu::noinline]] void add_masked(std::uint32_t first,
                                                    std::span<const GroupClusters::MaskedEntry> masked,
                                                    LaneValues& values) const {
        const auto target = targets(group_.first + first);
        for (std::size_t k = 0; k < masked.size(); k += at_once) {
            Numbers j;
            alignas(64) R factors[V::size()] = {};
            for (std::size_t u = 0; u < at_once; ++u) {
                j[u] = k + u < masked.size() ? masked[k + u].number : absent_;
                for (std::size_t i = 0; i < cluster_size && k + u < masked.size(); ++i)
                    factors[u * cluster_size + i] = static_cast<R>(masked[k + u].factors[i]);
            }
            const V factor = load_lanes(factors);
            Sums sums = outcome_of_no_pair<I, V>();
            add_pairs(first, target, j, [&](const auto& within) { return within && factor != R(0); }, sums);
            sums.each_component([&](Gated<V>& sum, std::size_t c) {
                constexpr OutcomeOrder order = outcome_order<I>;
                store_lanes(order.joined(c, load_lanes(values[c]), order.scaled(c, sum.total, factor)), values[c]);
            });
        }
    }

    static V load_lanes(const R* values) {
        V all;
        for (std::size_t part = 0; part < V::size() / lanes<R>; ++part) all.part[part] = load(values + part * lanes<R>);
        return all;
    }
    static void store_lanes(const V& all, R* values) {
        for (std::size_t part = 0; part < V::size() / lanes<R>; ++part) store(all.part[part], values + part * lanes<R>);
    }

    // 0, 1, 2, 3, 0, ...: the i-particle of each lane.
    static V numbers_of_i() {
        alignas(64) R numbers[cluster_size + 8] = {0, 1, 2, 3};
        return of_each_i(numbers);
    }
    // 0, 0, 0, 0, 1, ...: the j-particle of each lane.
    static V numbers_of_j() {
        V numbers;
        for (auto& part : numbers.part)
            for (std::size_t lane = 0; lane < lanes<R>; ++lane) {
                const std::size_t of_lane = lane / cluster_size;
                part[lane] = static_cast<R>(of_lane);
            }
        return numbers;
    }

    // Component c of the outcome of each i-particle, from its lanes.
    static void join_lanes(std::size_t c, const R (&values)[V::size()], double (&totals)[cluster_size]) {
        for (std::size_t i = 0; i < cluster_size; ++i) totals[i] = static_cast<double>(values[i]);
        for (std::size_t u = 1; u < at_once; ++u)
            for (std::size_t i = 0; i < cluster_size; ++i)
                totals[i] = outcome_order<I>.joined(c, totals[i], static_cast<double>(values[u * cluster_size + i]));
    }
};

TRELLIS_ISA_END
}  // namespace trellis
