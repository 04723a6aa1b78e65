#include "trellis/forces/run_time/graphs/pair_launch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/memory_use.hpp"
#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/run_time/graphs/pair_graph.hpp"
#include "trellis/forces/run_time/graphs/pair_text.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {

namespace {

using Blocks = std::array<std::size_t, 2>;

std::size_t whole_blocks(std::size_t threads) {
    return threads / text_block_threads + (threads % text_block_threads != 0 ? 1 : 0);
}

// Block (g, part): the forces on one part of the i-particles of group g.
template <std::uint32_t owned>
Blocks blocks_of_groups(std::span<const std::byte> constants) {
    const auto& call = KernelCall{constants, {}}.get<PairsCall>();
    return {call.group_count, whole_blocks((std::size_t{call.largest_group} + owned - 1) / owned)};
}

// A thread for each i-particle. The constants begin with their number.
Blocks blocks_of_elements(std::span<const std::byte> constants) {
    return {whole_blocks(KernelCall{constants, {}}.get<std::uint64_t>()), 1};
}

// See row_pairs_uses (forces/tree/kernels/row_pairs.hpp).
GraphKernel::Uses uses_of_groups(std::size_t row_bytes, std::size_t result_bytes) {
    return [=](std::span<const std::byte> constants, std::span<MemoryUse> uses) {
        const auto& call = KernelCall{constants, {}}.get<PairsCall>();
        if (call.group_count == 0) return;
        uses[0] = use_of<std::byte>(size_product(call.largest_group, row_bytes));
        uses[1] = use_of<DeviceGroup>(call.group_count);
        uses[3] = use_of<std::byte>(size_product(call.largest_group, result_bytes));
    };
}

// See sizes (forces/short_range/kernels/neighbour_grid.hpp).
GraphKernel::Uses uses_of_elements(std::size_t row_bytes, std::size_t result_bytes) {
    return [=](std::span<const std::byte> constants, std::span<MemoryUse> uses) {
        const auto elements = KernelCall{constants, {}}.get<std::uint64_t>();
        uses[0] = use_of<std::byte>(row_bytes);
        uses[1] = use_of<ListedBlock>(elements / SearchTree::block_size + (elements % SearchTree::block_size != 0));
        uses[3] = use_of<std::byte>(size_product(elements, result_bytes));
    };
}

}  // namespace

std::vector<std::byte> in_precision(std::span<const std::byte> graph, std::size_t value_bytes) {
    std::vector<std::byte> bytes(1 + graph.size());
    bytes[0] = static_cast<std::byte>(value_bytes);
    std::ranges::copy(graph, bytes.begin() + 1);
    return bytes;
}

GraphKernel pair_kernel(std::span<const std::byte> bytes) {
    const auto value_bytes = bytes.empty() ? 0 : std::to_integer<std::size_t>(bytes[0]);
    const bool single = value_bytes == sizeof(float);
    if (!single && value_bytes != sizeof(double))
        throw InputError("the graph of an interaction is in no precision: allowed are single and double");
    const PairGraph graph = read_pair_graph(bytes.subspan(1));
    const std::size_t row_bytes = row_stride_of(graph.components) * value_bytes;
    const std::size_t result_bytes = graph.results.size() * value_bytes;
    KernelText text{pair_text(graph, single),
                    graph.short_range ? "neighbours" : "pairs",
                    graph.short_range ? blocks_of_elements
                    : single          ? blocks_of_groups<owned_in(true)>
                                      : blocks_of_groups<owned_in(false)>,
                    {bytes.begin(), bytes.end()}};
    const std::size_t head = graph.short_range ? sizeof(std::uint64_t) : sizeof(PairsCall);
    return {std::make_shared<const KernelText>(std::move(text)), head + graph.parameters * sizeof(double), 4,
            (graph.short_range ? uses_of_elements : uses_of_groups)(row_bytes, result_bytes)};
}

std::string text_of_graph(std::span<const std::byte> graph, std::size_t value_bytes) {
    return pair_kernel(in_precision(graph, value_bytes)).text->text;
}

}  // namespace trellis
