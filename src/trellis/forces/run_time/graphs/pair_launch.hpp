// The kernel of a graph, as devices launch it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "trellis/devices/kernel_text.hpp"

namespace trellis {

// The bytes of a graph for one precision, of which graph_kernel makes a kernel: here, or on a server.
std::vector<std::byte> in_precision(std::span<const std::byte> graph, std::size_t value_bytes);

// Such bytes of a graph of short range become those of its kernel over masked entries.
std::vector<std::byte> over_masked_entries(std::span<const std::byte> bytes);

// Makes the kernel of such bytes. Throws InputError for bytes that are no graph.
GraphKernel pair_kernel(std::span<const std::byte> graph);

// The text of a graph's kernel in a precision (python/trellis/interactions shows it).
std::string text_of_graph(std::span<const std::byte> graph, std::size_t value_bytes);

}  // namespace trellis
