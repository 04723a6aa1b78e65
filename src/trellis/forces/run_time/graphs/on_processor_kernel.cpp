#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/run_time/graphs/column_batch.hpp"
#include "trellis/forces/run_time/graphs/on_processor.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

template <class T>
T* memory_of(const KernelCall& call, std::size_t number) {
    return reinterpret_cast<T*>(call.memory[number]);
}

// Calls body(batch, task) for each task; each thread has a batch of its own, of make().
template <class Make, class Body>
void in_batches(const Make& make, std::size_t tasks, const Body& body) {
    std::vector<decltype(make())> batches(static_cast<std::size_t>(thread_count()));
    parallel_tasks(tasks, [&](std::size_t task, int thread) {
        auto& batch = batches[static_cast<std::size_t>(thread)];
        if (batch == nullptr) batch = make();
        body(*batch, task);
    });
}

const double* parameters_of(const KernelCall& call, std::size_t head) {
    return reinterpret_cast<const double*>(call.constants.data() + head);
}

template <class R, class Make>
void run_pairs(const PairGraph& graph, const KernelCall& call, const Make& make) {
    const auto* rows = memory_of<const R>(call, 0);
    const auto* groups = memory_of<const DeviceGroup>(call, 1);
    const auto* indices = memory_of<const std::uint32_t>(call, 2);
    auto* results = memory_of<R>(call, 3);
    const std::size_t stride = row_stride_of(graph.components), components = graph.results.size();
    const auto row = [&](std::size_t number) { return rows + number * stride; };
    in_batches(make, call.get<PairsCall>().group_count, [&](auto& batch, std::size_t g) {
        const DeviceGroup& group = groups[g];
        const auto own = [&](std::size_t k) { return row(group.first_row + k); };
        for (std::size_t first = 0; first < group.count; first += batch.lanes) {
            const std::size_t count = std::min(batch.lanes, group.count - first);
            batch.begin(count, [&](std::size_t i) { return own(first + i); }, [&](std::size_t) { return own(0); });
            batch.add(group.index_count, [&](std::size_t k) { return row(indices[group.first_index + k]); });
            batch.add_others(group.count, own, first);
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t c = 0; c < components; ++c)
                    results[(group.first_result + first + i) * components + c] = batch.outcome(i, c);
        }
    });
}

// Slots without an i-particle, which only comparisons of two devices read, are 0 on both.
template <class R>
void clear_unused_slots(std::size_t components, std::size_t count, R* outcome, std::size_t elements) {
    for (std::size_t c = 0; c < components; ++c)
        std::fill_n(outcome + c * elements + count, SearchTree::block_size - count, R(0));
}

// The blocks of a launch over neighbour lists; masked: their masked entries, which are added to the outcome.
template <class R, bool masked, class Make>
void run_blocks(const PairGraph& graph, const KernelCall& call, const Make& make) {
    const auto elements = call.get<std::uint64_t>();
    const auto* rows = memory_of<const R>(call, 0);
    const auto* blocks = memory_of<const ListedBlock>(call, 1);
    const auto* entries = memory_of<const std::uint32_t>(call, 2);
    const auto* factors = masked ? memory_of<const double>(call, 3) : nullptr;
    auto* outcome = memory_of<R>(call, call.memory.size() - 1);
    const std::size_t stride = row_stride_of(graph.components);
    constexpr std::size_t size = SearchTree::block_size;
    const auto row = [&](std::size_t number) { return rows + number * stride; };
    in_batches(make, elements / size, [&](auto& batch, std::size_t number) {
        const ListedBlock& block = blocks[number];
        const std::size_t count = std::min<std::size_t>(block.count, size);
        const auto own = [&](std::size_t k) { return row(block.first + k); };
        const auto listed = [&](std::size_t e) { return row(entries[block.begin + e]); };
        if (!masked) clear_unused_slots(graph.results.size(), count, outcome + number * size, elements);
        if (count == 0 || (masked && block.masked == 0)) return;
        batch.begin(count, own, own);
        if constexpr (masked) {
            batch.add(
                block.masked, [&](std::size_t m) { return listed(block.length + m); },
                [&](std::size_t i, std::size_t m) {
                    return static_cast<R>(factors[(block.first_mask + m) * size + i]);
                });
        } else {
            batch.add(block.length, listed);
            if (block.masked == 0) batch.add_others(count, own, 0);
        }
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t c = 0; c < graph.results.size(); ++c) {
                R& value = outcome[c * elements + number * size + i];
                const R more = batch.outcome(i, c);
                value = masked ? static_cast<R>(PairBatch<R>::joined(graph.results[c].kind, value, more)) : more;
            }
    });
}

template <class R, class Make>
void run_lists(const PairGraph& graph, const KernelCall& call, const Make& make) {
    if (graph.short_range)
        run_blocks<R, false>(graph, call, make);
    else
        run_pairs<R>(graph, call, make);
}

template <class R>
void run(const PairGraph& graph, const KernelCall& call, bool masked, const LoopsOfGraph* compiled) {
    const auto* parameters = parameters_of(call, graph.short_range ? sizeof(std::uint64_t) : sizeof(PairsCall));
    const auto by_nodes = [&] { return std::make_unique<PairBatch<R>>(graph, parameters); };
    const ColumnLoops<R> loops = compiled == nullptr ? ColumnLoops<R>{} : compiled->get<R>();
    if (masked) return run_blocks<R, true>(graph, call, by_nodes);
    if (loops.add_pairs == nullptr) return run_lists<R>(graph, call, by_nodes);
    const std::vector<double> context = loop_context(graph, parameters);
    run_lists<R>(graph, call, [&] { return std::make_unique<ColumnBatch<R>>(graph, loops, context.data()); });
}

}  // namespace

GraphOnProcessor graph_on_processor(PairGraph graph, std::size_t value_bytes, bool masked,
                                    std::shared_ptr<const LoopsOfGraph> loops) {
    return [graph = std::move(graph), value_bytes, masked, loops = std::move(loops)](const KernelCall& call) {
        (value_bytes == sizeof(float) ? run<float> : run<double>)(graph, call, masked, loops.get());
    };
}

TRELLIS_ISA_END
}  // namespace trellis
