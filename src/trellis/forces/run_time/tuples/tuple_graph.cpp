#include "trellis/forces/run_time/tuples/tuple_graph.hpp"

#include <algorithm>
#include <string>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

constexpr std::byte mark{32};  // no precision, and no mark of other kernels (pair_launch.cpp, far_graph.cpp)

bool reads_other_values(const GraphNode& node) {
    return node.operation == Operation::of_i || node.operation == Operation::parameter;
}

}  // namespace

std::vector<std::byte> over_tuples(std::span<const std::byte> graph) {
    std::vector<std::byte> bytes(1 + graph.size(), mark);
    std::ranges::copy(graph, bytes.begin() + 1);
    return bytes;
}

bool are_tuple_bytes(std::span<const std::byte> bytes) { return !bytes.empty() && bytes[0] == mark; }

TupleGraph read_tuple_graph(std::span<const std::byte> bytes) {
    TupleGraph tuple{read_pair_graph(bytes.subspan(1))};
    const std::size_t results = tuple.graph.results.size();
    if (results != 4 && results != 7 && results != 10)
        throw InputError("the graph of an interaction has " + std::to_string(results) +
                         " results: of a tuple they are 4, 7 or 10");
    if (tuple.graph.short_range || tuple.graph.components < results - 1 ||
        std::ranges::any_of(tuple.graph.nodes, reads_other_values))
        throw InputError("the graph of an interaction is not that of a tuple, which reads its steps and values alone");
    return tuple;
}

}  // namespace trellis
