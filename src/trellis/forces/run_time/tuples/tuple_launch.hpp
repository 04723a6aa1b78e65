// The kernel of a tuple's graph, as devices launch it.
#pragma once

#include <cstddef>
#include <span>

#include "trellis/devices/kernel_text.hpp"

namespace trellis {

// Makes the kernel of bytes that are those of over_tuples (tuple_graph.hpp). Throws InputError for others.
GraphKernel tuple_kernel(std::span<const std::byte> bytes);

}  // namespace trellis
