// The kernels of a far graph, as devices launch them.
#pragma once

#include <cstddef>
#include <span>

#include "trellis/devices/kernel_text.hpp"

namespace trellis {

// Makes the kernel of the bytes of a graph: of a far graph (far_graph.hpp) or, if they begin with other bytes, of pairs
// (graphs/pair_launch.hpp). Throws InputError for bytes that are no graph.
GraphKernel graph_kernel(std::span<const std::byte> bytes);

}  // namespace trellis
