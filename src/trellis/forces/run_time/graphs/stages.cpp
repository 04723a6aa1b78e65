#include "trellis/forces/run_time/graphs/stages.hpp"

namespace trellis {

GraphNodes Stages::needed(const GraphNodes& outputs) const {
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

GraphNodes Stages::handed_on(unsigned reads, unsigned later) const {
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
