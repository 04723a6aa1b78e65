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
#include "trellis/forces/run_time/graphs/on_processor.hpp"
#include "trellis/forces/run_time/graphs/pair_graph.hpp"
#include "trellis/forces/run_time/graphs/pair_text.hpp"
#include "trellis/forces/run_time/graphs/set_lists.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"
#include "trellis/forces/run_time/loops/loop_compiler.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/packing/bytes.hpp"

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

// See sizes (forces/short_range/kernels/neighbour_grid.hpp); the outcome comes last.
GraphKernel::Uses uses_of_elements(std::size_t row_bytes, std::size_t result_bytes) {
    return [=](std::span<const std::byte> constants, std::span<MemoryUse> uses) {
        const auto elements = KernelCall{constants, {}}.get<std::uint64_t>();
        uses[0] = use_of<std::byte>(row_bytes);
        uses[1] = use_of<ListedBlock>(elements / SearchTree::block_size + (elements % SearchTree::block_size != 0));
        uses.back() = use_of<std::byte>(size_product(elements, result_bytes));
    };
}

// A block for each part of a set.
Blocks blocks_of_sets(std::span<const std::byte> constants) {
    const auto& call = KernelCall{constants, {}}.get<SmallSetsCall>();
    return {call.sets, whole_blocks(call.largest)};
}

// The rows of the sets and their interactions are numbers in memory, which are not known here.
GraphKernel::Uses uses_of_sets(std::size_t components, std::size_t parameters, bool excluding) {
    return [=](std::span<const std::byte> constants, std::span<MemoryUse> uses) {
        const auto& call = KernelCall{constants, {}}.get<SmallSetsCall>();
        if (call.sets == 0) return;
        const bool allowed = call.largest <= call.rows && call.interactions > 0 &&
                             call.stride >= before_parameters + parameters &&
                             size_sum(call.acceleration, 3) <= call.columns &&
                             std::ranges::all_of(std::span(call.columns_of).first(components),
                                                 [&](std::uint32_t column) { return column < call.columns; });
        uses[0] = use_of<SmallSet>(allowed ? call.sets : no_size);
        uses[1] = use_of<double>(size_product(call.columns, call.rows));
        uses[2] = use_of<double>(size_product(call.interactions, call.stride));
        uses[3] = use_of<double>(call.rows);
        if (!excluding) return;
        uses[4] = use_of<SetLists>(size_product(call.sets, call.interactions));
        uses[5] = use_of<std::uint32_t>(call.numbers);
        uses[6] = use_of<double>(call.values);
    };
}

// Marks of kernels at the beginning of the bytes: in the place of a precision, or in front of it.
constexpr std::byte over_sets{1}, over_masked{2}, over_excluding_sets{16};

// bytes: see over_small_sets.
GraphKernel small_sets_kernel(std::span<const std::byte> bytes) {
    const bool excluding = bytes[0] == over_excluding_sets;
    ByteReader reader(bytes.subspan(1));
    if (reader.bytes_left() < sizeof(SetResults)) throw InputError("the graph of an interaction ends within its head");
    const auto results = reader.get<SetResults>();
    const PairGraph graph = read_pair_graph(bytes.subspan(1 + sizeof(SetResults)));
    if (!graph.factors)
        throw InputError("the graph of an interaction has sums without factors: within small sets, they have some");
    if (graph.components > most_set_components)
        throw InputError("the graph of an interaction reads fields of " + std::to_string(graph.components) +
                         " components: within small sets, allowed are " + std::to_string(most_set_components));
    const std::uint64_t last =
        size_sum(std::max<std::uint64_t>(size_sum(results.acceleration, 2), results.potential), 1);
    if (last > graph.results.size())
        throw InputError("the graph of an interaction has " + std::to_string(graph.results.size()) +
                         " results: acceleration and potential are not among them");
    KernelText text{small_sets_text_of(graph, results, excluding),
                    "small_sets",
                    blocks_of_sets,
                    {bytes.begin(), bytes.end()},
                    TRELLIS_VARIANT(small_sets_on_processor)(graph, results, excluding)};
    return {std::make_shared<const KernelText>(std::move(text)), sizeof(SmallSetsCall), excluding ? std::size_t{7} : 4,
            uses_of_sets(graph.components, graph.parameters, excluding)};
}

// True if its tables are not where loops find them (loop_context in column_batch.hpp).
bool has_tables_elsewhere(const PairGraph& graph) {
    return !graph.entries.empty() &&
           graph.first_entry != std::max<std::size_t>(2 * std::size_t{graph.parameters}, graph.entries.size());
}

}  // namespace

std::vector<std::byte> over_small_sets(std::span<const std::byte> graph, const SetResults& results, bool excluding) {
    ByteWriter bytes;
    bytes.put(excluding ? over_excluding_sets : over_sets);
    bytes.put(results);
    bytes.put(graph);
    return bytes.take();
}

std::vector<std::byte> over_masked_entries(std::span<const std::byte> bytes) {
    std::vector<std::byte> marked(1 + bytes.size(), over_masked);
    std::ranges::copy(bytes, marked.begin() + 1);
    return marked;
}

std::vector<std::byte> in_precision(std::span<const std::byte> graph, std::size_t value_bytes) {
    std::vector<std::byte> bytes(1 + graph.size());
    bytes[0] = static_cast<std::byte>(value_bytes);
    std::ranges::copy(graph, bytes.begin() + 1);
    return bytes;
}

GraphKernel pair_kernel(std::span<const std::byte> bytes) {
    if (!bytes.empty() && (bytes[0] == over_sets || bytes[0] == over_excluding_sets)) return small_sets_kernel(bytes);
    const bool masked = !bytes.empty() && bytes[0] == over_masked;
    const auto in_one = bytes.subspan(masked ? 1 : 0);
    const auto value_bytes = in_one.empty() ? 0 : std::to_integer<std::size_t>(in_one[0]);
    const bool single = value_bytes == sizeof(float);
    if (!single && value_bytes != sizeof(double))
        throw InputError("the graph of an interaction is in no precision: allowed are single and double");
    const PairGraph graph = read_pair_graph(in_one.subspan(1));
    if (masked && !graph.short_range)
        throw InputError("the graph of an interaction is of long range: masked entries are of neighbour lists");
    const std::size_t row_bytes = row_stride_of(graph.components) * value_bytes;
    const std::size_t result_bytes = graph.results.size() * value_bytes;
    auto loops = masked || has_tables_elsewhere(graph)
                     ? nullptr
                     : std::make_shared<const LoopsOfGraph>(in_one.subspan(1), value_bytes);
    KernelText text{masked ? masked_text_of(graph, single) : pair_text(graph, single),
                    masked              ? "masked"
                    : graph.short_range ? "neighbours"
                                        : "pairs",
                    graph.short_range ? blocks_of_elements
                    : single          ? blocks_of_groups<owned_in(true)>
                                      : blocks_of_groups<owned_in(false)>,
                    {bytes.begin(), bytes.end()},
                    TRELLIS_VARIANT(graph_on_processor)(graph, value_bytes, masked, std::move(loops))};
    const std::size_t head = graph.short_range ? sizeof(std::uint64_t) : sizeof(PairsCall);
    return {std::make_shared<const KernelText>(std::move(text)), head + graph.parameters * sizeof(double),
            masked ? std::size_t{5} : 4,
            (graph.short_range ? uses_of_elements : uses_of_groups)(row_bytes, result_bytes)};
}

std::string text_of_graph(std::span<const std::byte> graph, std::size_t value_bytes) {
    return pair_kernel(in_precision(graph, value_bytes)).text->text;
}

}  // namespace trellis
