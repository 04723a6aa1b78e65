// The graph of a central potential's radial derivatives: data that may come from another machine.
//
// Its results are g_0, g_1, ... times powers of a unit, by the squared distance (component 0 of j) and the squared unit
// (component 1 of j); the factor of the first is the response of i, by which the potential is multiplied and, negative,
// its gradient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trellis/forces/run_time/graphs/pair_graph.hpp"

namespace trellis {

enum class FarKernel : std::uint8_t {
    locals,    // locals_kernel of forces/tree/kernels/device_far_field.hpp
    far_field  // far_field_kernel
};

// The properties of a kernel beside the graph.
struct FarHead {
    FarKernel kernel;
    std::uint8_t order, value_bytes, results;          // results: components of an i-particle
    std::uint8_t first_of_acceleration, of_potential;  // among the results
};

struct FarGraph {
    FarHead head;
    PairGraph graph;

    bool single() const { return head.value_bytes == sizeof(float); }
    std::uint32_t derivative(std::size_t n) const { return graph.results[n].value; }
    std::uint32_t response() const { return graph.results[0].factor; }
    // As many radial derivatives as M2P needs.
    std::size_t derivatives() const { return head.order + std::size_t{2}; }
};

// The bytes of a kernel, and of them its graph. Throws InputError for malformed bytes, and for a graph that reads other
// values than these.
std::vector<std::byte> far_bytes(const FarHead& head, std::span<const std::byte> graph);
bool are_far_bytes(std::span<const std::byte> bytes);
FarGraph read_far_graph(std::span<const std::byte> bytes);

}  // namespace trellis
