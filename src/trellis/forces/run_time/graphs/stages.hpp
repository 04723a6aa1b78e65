// The nodes of some outputs of a graph by when they are known: once, for each i-particle, and for each pair.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "trellis/forces/run_time/graphs/pair_graph.hpp"

namespace trellis {

using GraphNodes = std::vector<std::uint32_t>;  // numbers, each behind those of its arguments

class Stages {
  public:
    Stages(const PairGraph& graph, GraphNodes outputs)
        : graph_(graph), outputs_(std::move(outputs)), nodes_(needed(outputs_)) {}

    // The nodes that some nodes depend on, themselves among them.
    GraphNodes needed(const GraphNodes& outputs) const;
    // The nodes of the outputs that are so.
    template <class Is>
    GraphNodes those(Is&& is) const {
        GraphNodes found;
        std::ranges::copy_if(nodes_, std::back_inserter(found),
                             [&](std::uint32_t k) { return std::invoke(is, graph_.nodes[k]); });
        return found;
    }
    GraphNodes that_read(unsigned reads) const {
        return those([=](const GraphNode& node) { return node.reads == reads; });
    }

    // Nodes that no particle decides, as far as particles need them; that i decides, as far as pairs do; fields of j.
    GraphNodes once() const { return handed_on(0, from_i | from_j); }
    GraphNodes of_i() const { return handed_on(from_i, from_j); }
    GraphNodes of_j() const {
        return those([](const GraphNode& node) { return node.operation == Operation::of_j; });
    }

  private:
    // The nodes that read these particles and are used by nodes that read later ones, or are outputs.
    GraphNodes handed_on(unsigned reads, unsigned later) const;

    const PairGraph& graph_;
    const GraphNodes outputs_, nodes_;
};

inline GraphNodes Stages::needed(const GraphNodes& outputs) const {
    std::vector<bool> marked(graph_.nodes.size());
    for (const std::uint32_t output : outputs) marked[output] = true;
    GraphNodes nodes;
    for (std::size_t k = graph_.nodes.size(); k-- > 0;) {
        if (!marked[k]) continue;
        nodes.push_back(static_cast<std::uint32_t>(k));
        for (const std::uint32_t arg : graph_.nodes[k].arguments()) marked[arg] = true;
    }
    std::ranges::reverse(nodes);
    return nodes;
}

inline GraphNodes Stages::handed_on(unsigned reads, unsigned later) const {
    std::vector<bool> used(graph_.nodes.size());
    for (const std::uint32_t output : outputs_) used[output] = true;
    for (const std::uint32_t k : nodes_)
        if ((graph_.nodes[k].reads & later) != 0)
            for (const std::uint32_t arg : graph_.nodes[k].arguments()) used[arg] = true;
    GraphNodes found = that_read(reads);
    std::erase_if(found, [&](std::uint32_t k) { return !used[k] || graph_.nodes[k].is_constant(); });
    return found;
}

}  // namespace trellis
