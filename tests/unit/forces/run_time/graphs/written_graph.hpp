// A graph of every operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trellis/forces/run_time/graphs/written_graph.hpp"

namespace trellis {

// Every operation, of short range or of long.
inline std::vector<std::byte> graph_of_everything(bool short_range) {
    WrittenGraph graph(short_range, 6, 2, {1, 2, 3, 4}, 8);
    const std::uint32_t one = graph.constant(1), mass = graph.leaf(Operation::of_j, 3);
    const std::uint32_t x = graph.leaf(Operation::of_i, 0), p = graph.leaf(Operation::parameter, 1);
    std::uint32_t last = graph.apply(Operation::sub, {mass, x});
    const std::uint32_t less = graph.apply(Operation::less, {last, p});
    std::uint32_t condition = graph.apply(Operation::negation, {less});
    for (std::uint8_t number = 4; number < graph_operations().size(); ++number) {
        const auto operation = static_cast<Operation>(number);
        const OperationInfo& info = graph_operations()[number];
        if (operation == Operation::entry)
            last = graph.apply(operation, {2, last});
        else if (info.takes == "n")
            last = graph.apply(operation, {last});
        if (info.takes == "nn" && info.gives == 'n') last = graph.apply(operation, {last, one});
        if (info.takes == "nn" && info.gives == 'c') condition = graph.apply(operation, {last, p});
        if (info.takes == "cc") condition = graph.apply(operation, {less, condition});
        if (info.takes == "cnn") last = graph.apply(operation, {condition, last, x});
    }
    if (!short_range) {
        graph.sum(last, x);
        return graph.bytes();
    }
    for (const ResultKind kind : {ResultKind::sum, ResultKind::maximum, ResultKind::minimum}) graph.result(kind, last);
    return graph.bytes({less});
}

}  // namespace trellis
