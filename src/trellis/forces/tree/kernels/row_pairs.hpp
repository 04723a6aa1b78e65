// The processor's kernels for pair forces as a device computes them: see device_pairs.hpp. For kernel sources only.
#pragma once

#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/memory_use.hpp"
#include "trellis/forces/row_records.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"
#include "trellis/forces/tree/kernels/interaction_kernels.hpp"
#include "trellis/forces/tree/kernels/pair_loop.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The forces on one group.
template <class I, class R>
class RowPairs {
  public:
    using Loop = PairLoop<I, R>;
    using Source = typename I::Source;

    RowPairs(const I& interaction, const R* rows, std::size_t largest_group, Workspace& workspace)
        : rows_(rows), loop_(interaction, largest_group, start(interaction, workspace, largest_group)) {}

    void evaluate(const DeviceGroup& group, const std::uint32_t* indices, R* results) {
        origin_ = row(group.first_row);
        loop_.begin(group.count);
        for (std::uint32_t i = 0; i < group.count; ++i)
            for (std::size_t c = 0; c < I::Target::components; ++c)
                loop_.target(c)[i] = row_value(row(group.first_row + i), origin_, TargetComponents<I>::value[c]);
        stage(
            group.index_count, [&](std::uint32_t k) { return indices[group.first_index + k]; },
            [&](std::uint32_t, std::size_t count) { loop_.staged(count); });
        loop_.flush();
        stage(
            group.count, [&](std::uint32_t k) { return group.first_row + k; },
            [&](std::uint32_t first, std::size_t count) { loop_.add_own(first, count); });
        R* result = results + std::size_t{group.first_result} * I::Result::components;
        for (std::uint32_t i = 0; i < group.count; ++i, result += I::Result::components)
            loop_.sum(i).each_component([&](double& sum, std::size_t c) { result[c] = static_cast<R>(sum); });
    }

  private:
    static Workspace& start(const I& interaction, Workspace& workspace, std::size_t largest_group) {
        workspace.start(Loop::workspace_bytes(interaction, largest_group));
        return workspace;
    }

    // Writes j-particles to the stage of the loop, as many at a time as it has room for, and calls hand_over(first,
    // count).
    template <class RowOf, class HandOver>
    void stage(std::uint32_t total, const RowOf& row_of, const HandOver& hand_over) {
        for (std::uint32_t first = 0; first < total;) {
            const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(total - first, loop_.room()));
            for (std::uint32_t k = 0; k < count; ++k) {
                const R* source = row(row_of(first + k));
                for (std::size_t c = 0; c < Source::components; ++c) loop_.next(c)[k] = row_value(source, origin_, c);
            }
            hand_over(first, count);
            first += count;
        }
    }

    const R* row(std::size_t number) const { return rows_ + number * record_stride<I>; }

    const R* rows_;
    const R* origin_ = nullptr;
    Loop loop_;
};

// The kernel pairs_kernel(...).
template <class I, class R>
void row_pairs(const KernelCall& call) {
    const auto& header = call.get<PairsCall>();
    const I& interaction = *reinterpret_cast<const I*>(call.constants.data() + sizeof(PairsCall));
    const auto* rows = reinterpret_cast<const R*>(call.memory[0]);
    const auto* groups = reinterpret_cast<const DeviceGroup*>(call.memory[1]);
    const auto* indices = reinterpret_cast<const std::uint32_t*>(call.memory[2]);
    auto* results = reinterpret_cast<R*>(call.memory[3]);
    std::vector<Workspace> workspaces(static_cast<std::size_t>(thread_count()));
    parallel_tasks(header.group_count, [&](std::size_t g, int thread) {
        RowPairs<I, R>(interaction, rows, header.largest_group, workspaces[static_cast<std::size_t>(thread)])
            .evaluate(groups[g], indices, results);
    });
}

// The rows and results of a group are consecutive, so there are as many as the largest group has.
template <class I, class R>
void row_pairs_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    const PairsCall header = KernelCall{constants, {}}.get<PairsCall>();
    if (header.group_count == 0) return;
    uses[0] = use_of<R>(size_product(header.largest_group, record_stride<I>));
    uses[1] = use_of<DeviceGroup>(header.group_count);
    uses[3] = use_of<R>(size_product(header.largest_group, I::Result::components));
}

// Adds the sums of a device for count i-particles to the results of their rows.
template <class I, class R>
void write_back(const void* interaction, const void* sums, const std::uint32_t* rows, std::size_t count,
                std::span<const ResultComponent> results) {
    const R* next = static_cast<const R*>(sums);
    for (std::size_t i = 0; i < count; ++i) {
        Record<typename I::Result, double> sum;
        sum.each_component([&](double& value, std::size_t) { value = *next++; });
        if constexpr (requires(const I& with) { with.finish(sum); }) static_cast<const I*>(interaction)->finish(sum);
        sum.each_component(
            [&](double& value, std::size_t c) { results[c].values[rows[i] * results[c].stride] += value; });
    }
}

TRELLIS_ISA_END
}  // namespace trellis
