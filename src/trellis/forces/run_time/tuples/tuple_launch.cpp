#include "trellis/forces/run_time/tuples/tuple_launch.hpp"

#include <array>
#include <memory>
#include <utility>

#include "trellis/forces/run_time/graphs/set_lists.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"
#include "trellis/forces/run_time/tuples/tuple_graph.hpp"
#include "trellis/forces/run_time/tuples/tuple_sets.hpp"
#include "trellis/forces/run_time/tuples/tuple_text.hpp"
#include "trellis/forces/run_time/tuples/tuples_on_processor.hpp"

namespace trellis {

namespace {

const TupleSetsCall& call_of(std::span<const std::byte> constants) {
    return KernelCall{constants, {}}.get<TupleSetsCall>();
}

// A block for each part of a set.
std::array<std::size_t, 2> blocks_of(std::span<const std::byte> constants) {
    const TupleSetsCall& call = call_of(constants);
    return {call.sets, call.largest / text_block_threads + (call.largest % text_block_threads != 0 ? 1 : 0)};
}

// Kernels check the lists and members, which are numbers in memory; the rows of sets: see pair_launch.cpp.
void uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    const TupleSetsCall& call = call_of(constants);
    if (call.sets == 0) return;
    const bool allowed = call.largest <= call.rows && call.interactions > 0 && call.mass < call.columns &&
                         size_sum(call.position, 3) <= call.columns && size_sum(call.acceleration, 3) <= call.columns;
    const std::uint64_t of_graph = size_product(call.sets, call.interactions);
    uses[0] = use_of<SmallSet>(allowed ? call.sets : no_size);
    uses[1] = use_of<double>(size_product(call.columns, call.rows));
    uses[2] = use_of<double>(call.rows);
    uses[3] = use_of<SetLists>(size_product(size_sum(call.graph, 1), of_graph));
    uses[4] = use_of<std::uint32_t>(call.numbers);
    uses[5] = use_of<double>(call.values);
}

}  // namespace

GraphKernel tuple_kernel(std::span<const std::byte> bytes) {
    TupleGraph tuple = read_tuple_graph(bytes);
    std::string text = tuple_text(tuple);
    KernelText made{std::move(text),
                    "tuples",
                    blocks_of,
                    {bytes.begin(), bytes.end()},
                    TRELLIS_VARIANT(tuples_on_processor)(std::move(tuple))};
    return {std::make_shared<const KernelText>(std::move(made)), sizeof(TupleSetsCall), 6, uses};
}

}  // namespace trellis
