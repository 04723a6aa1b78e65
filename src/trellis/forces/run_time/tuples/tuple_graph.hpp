// The graph of a tuple's energy: data that may come from another machine.
//
// Component c of j is component c of the steps from each member to the next, then the values of the tuple. The results
// are the energy and its derivatives by the components of the steps; their factors are not used.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trellis/forces/run_time/graphs/pair_graph.hpp"

namespace trellis {

struct TupleGraph {
    PairGraph graph;

    std::size_t steps() const { return (graph.results.size() - 1) / 3; }
    std::size_t members() const { return steps() + 1; }
    std::size_t values() const { return graph.components - 3 * steps(); }
};

// The bytes of the kernel of a graph, of which tuple_kernel (tuple_launch.hpp) makes it: here, or on a server.
std::vector<std::byte> over_tuples(std::span<const std::byte> graph);
bool are_tuple_bytes(std::span<const std::byte> bytes);
// Throws InputError for malformed bytes, and for a graph that reads or gives other values than these.
TupleGraph read_tuple_graph(std::span<const std::byte> bytes);

}  // namespace trellis
