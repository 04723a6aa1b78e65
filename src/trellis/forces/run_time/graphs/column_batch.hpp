// Pairs of a few i-particles with j-particles by compiled loops: what PairBatch does node by node. For kernel sources
// only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "trellis/base/batch.hpp"
#include "trellis/base/workspace.hpp"
#include "trellis/forces/run_time/graphs/pair_batch.hpp"
#include "trellis/forces/run_time/loops/column_loops.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Parameters and tables as loops find them behind one address: number k of the entries is both the k-th double and the
// k-th float (python/trellis/interactions/code/memory.py).
inline std::vector<double> loop_context(const PairGraph& graph, const double* parameters) {
    const std::size_t tables = graph.entries.size(), first = tables == 0 ? 0 : graph.first_entry;
    std::vector<double> context(std::max<std::size_t>(graph.parameters, first + tables));
    auto* const floats = reinterpret_cast<float*>(context.data());
    for (std::size_t k = 0; k < tables; ++k) floats[first + k] = static_cast<float>(graph.entries[k]);
    std::copy_n(graph.entries.data(), tables, context.data() + first);
    std::copy_n(parameters, graph.parameters, context.data());
    return context;
}

template <class R>
class ColumnBatch {
  public:
    static constexpr std::size_t lanes = PairBatch<R>::lanes;  // the most i-particles

    // context: see loop_context.
    ColumnBatch(const PairGraph& graph, const ColumnLoops<R>& loops, const double* context)
        : graph_(graph),
          loops_(loops),
          context_(context),
          of_i_(graph, context),
          read_of_i_(components_read(graph, Operation::of_i)),
          read_of_j_(components_read(graph, Operation::of_j)) {
        const std::size_t columns = graph.components + 3;
        const std::size_t targets = columns * target_stride, sources = columns * chunk_stride,
                          sums = lanes * graph.results.size() * width;
        workspace_.start(Workspace::bytes_of<R>(targets) + Workspace::bytes_of<R>(sources) +
                         Workspace::bytes_of<R>(sums));
        targets_ = workspace_.take<R>(targets);
        sources_ = workspace_.take<R>(sources);
        sums_ = workspace_.take<R>(sums);
    }

    // See PairBatch. Positions of long range are relative to origin(0); of short range, each is a rounded value and the
    // rest, so that loops make it relative to the i-particle.
    template <class RowOf, class OriginOf>
    void begin(std::size_t count, const RowOf& row, const OriginOf& origin) {
        if (graph_.factors) of_i_.begin(count, row, origin);
        count_ = count;
        std::copy_n(origin(0), origin_.size(), origin_.begin());
        for (std::size_t i = 0; i < count; ++i) {
            for (const std::uint32_t c : read_of_i_) targets_[c * target_stride + i] = component(row(i), c);
            for (std::size_t c = 0; c < graph_.results.size(); ++c)
                std::fill_n(sums_of(i, c), width, static_cast<R>(of_i_.no_pair(c)));
        }
    }

    template <class RowOf>
    void add(std::size_t count, const RowOf& row) {
        in_chunks(count, row, [&](std::size_t, std::size_t staged) {
            loops_.add_pairs(context_, targets_, target_stride, count_, sources_, chunk_stride, staged, sums_);
        });
    }

    template <class RowOf>
    void add_others(std::size_t count, const RowOf& row, std::size_t first) {
        in_chunks(count, row, [&](std::size_t before, std::size_t staged) {
            const std::size_t of_i = before - first;  // modulo 2^64: it may be below 0
            loops_.add_own(context_, targets_, target_stride, count_, sources_, chunk_stride, staged, sums_, of_i);
        });
    }

    R outcome(std::size_t i, std::size_t c) const {
        double all = of_i_.no_pair(c);
        const R* const of_lanes = sums_of(i, c);
        for (std::size_t n = 0; n < width; ++n) all = of_i_.joined(graph_.results[c].kind, all, of_lanes[n]);
        return of_i_.finished(all, i, c);
    }

  private:
    static constexpr std::size_t width = trellis::lanes<R>;
    static constexpr std::size_t chunk = 4096 / sizeof(R);  // j-particles that are staged at once
    // Whole vectors are read; not a power of two, so that components are not all in the same lines of a cache.
    static constexpr std::size_t chunk_stride = chunk + 2 * width, target_stride = lanes + width;

    // The rest of a position is component `components` + axis.
    static std::vector<std::uint32_t> components_read(const PairGraph& graph, Operation operation) {
        std::set<std::uint32_t> found;
        for (const GraphNode& node : graph.nodes) {
            const bool position = node.operation == Operation::of_j && node.number < 3;
            if (node.operation == operation) found.insert(node.number);
            if (graph.short_range && position) found.insert({node.number, graph.components + node.number});
        }
        return {found.begin(), found.end()};
    }

    R* sums_of(std::size_t i, std::size_t c) const { return sums_ + (i * graph_.results.size() + c) * width; }

    R component(const R* row, std::uint32_t c) const {
        if (c >= graph_.components) return row[3 + c - graph_.components];
        return c < 3 && !graph_.short_range ? apart(row, origin_.data(), c) : row[place_in_row(c)];
    }

    // Stages j-particles, and calls add(those before, those that are staged).
    template <class RowOf, class Add>
    void in_chunks(std::size_t count, const RowOf& row, const Add& add) {
        for (std::size_t before = 0; before < count; before += chunk) {
            const std::size_t now = std::min(count - before, chunk);
            for (std::size_t j = 0; j < now; ++j) {
                const R* const from = row(before + j);
                for (const std::uint32_t c : read_of_j_) sources_[c * chunk_stride + j] = component(from, c);
            }
            add(before, now);
        }
    }

    const PairGraph& graph_;
    const ColumnLoops<R> loops_;
    const double* const context_;
    PairBatch<R> of_i_;                                       // the factors of i-particles
    const std::vector<std::uint32_t> read_of_i_, read_of_j_;  // components
    Workspace workspace_;
    R *targets_, *sources_;  // columns, one for each component, and the rest of the position
    R* sums_;                // for each i-particle and component of the outcome, one partial sum a lane
    std::array<R, 6> origin_{};
    std::size_t count_ = 0;
};

TRELLIS_ISA_END
}  // namespace trellis
