// A compiled short-range interaction: a table of functions, and of the fields that they read and write. Everything else
// about such forces is ordinary code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/devices/device.hpp"
#include "trellis/devices/known_kernels.hpp"
#include "trellis/forces/result_components.hpp"
#include "trellis/forces/short_range/kernels/neighbour_blocks.hpp"
#include "trellis/forces/short_range/kernels/row_kinds.hpp"
#include "trellis/forces/work.hpp"
#include "trellis/lists/neighbours/cluster_lists.hpp"
#include "trellis/lists/neighbours/neighbour_lists.hpp"
#include "trellis/lists/neighbours/search/search.hpp"

namespace trellis {

// Input and output of the kernels. All arrays live as long as the evaluation.
struct NeighbourScene {
    const NeighbourLists* lists;
    std::span<const double* const> columns;  // components of the fields by slot, padded (SortedColumns)
    const double* rows;                      // the components of Source, those of a slot side by side (SourceRows)
    const std::uint32_t* order;              // row of each local slot
    std::span<const ResultComponent> outcome;
    bool add;  // sums are added to the values there; else they replace them, as maxima and minima always do
    const std::uint8_t* wanted;  // of each row: 0 if its outcome is not to be written; null: all are

    bool wants(std::uint32_t slot) const { return wanted == nullptr || wanted[order[slot]] != 0; }
    bool wants_any(std::uint32_t first, std::uint32_t count) const {
        for (std::uint32_t slot = first; slot < first + count; ++slot)
            if (wants(slot)) return true;
        return false;
    }
};

// The memories of launches on a device: see neighbour_grid.hpp and masked_grid.hpp.
struct NeighbourMemories {
    const DeviceMemory &rows, &blocks, &entries, &factors, &outcome, &table;
};

// The memories of the launch that finishes the outcome of particles that stay on a device: see finish_grid.hpp.
struct FinishMemories {
    const DeviceMemory &blocks, &outcome, &positions, &values, &accelerations, &potentials, &others;
};

// A kernel on devices.
struct NeighbourDeviceKernel {
    Kernel on_processor;
    KernelArguments arguments;
    // Queues the kernel of that name for `blocks` blocks.
    void (*launch)(Queue& queue, std::string_view kernel, const void* interaction, std::size_t blocks,
                   const NeighbourMemories& memories);
};

// The kernel that finishes the outcome of particles that stay on a device; without a launch, they cannot stay.
struct FinishDeviceKernel {
    Kernel on_processor = nullptr;
    KernelArguments arguments = {};
    // Queues the kernel of that name for `blocks` blocks of all `particles`.
    void (*launch)(Queue& queue, std::string_view kernel, const void* interaction, std::size_t blocks,
                   std::size_t particles, const FinishMemories& memories) = nullptr;
};

// An interaction on devices, in one precision.
struct NeighbourDeviceKernels {
    std::size_t value_bytes;
    NeighbourDeviceKernel listed, masked;  // the latter adds masked entries to what the former has written
    // Writes the outcome of block `number` of all blocks. True if it is finite.
    bool (*write_back)(const void* interaction, const NeighbourScene& scene, const ListedBlock& block,
                       const void* outcome, std::size_t number, std::size_t blocks);
    // The table of an interaction by kinds; empty for others.
    std::span<const std::byte> (*table)(const void* interaction);
    FinishDeviceKernel finish = {};
};

struct NeighbourKernels {
    const char* name;                // name of the type
    std::vector<FieldInfo> fields;   // read from the particles: those of Source, then those of Target alone
    std::size_t source_components;   // number of the first components of fields that belong to Source
    std::vector<FieldInfo> outcome;  // sums, then maxima and minima
    std::size_t summed;              // the number of fields of outcome that are sums
    std::vector<std::pair<FieldInfo, FieldInfo>> evolves;  // value and rate
    Search search;
    std::optional<FieldInfo> radius;  // the search radius; without it: the member cutoff

    // Evaluates the i-particles of a group that are wanted; it has these clusters.
    using Evaluate = Work (*)(const void* interaction, const NeighbourScene& scene, const NeighbourGroup& group,
                              const GroupClusters& clusters, Workspace& workspace);
    Evaluate single_precision, double_precision;
    NeighbourDeviceKernels single_on_device, double_on_device;

    // The oracle: see InteractionKernels::reference. Images are those of the sources' region. factors: by which each
    // source counts; empty: all by 1.
    void (*reference)(const void* interaction, const ParticleSet& sources, const ParticleSet& targets,
                      std::uint32_t row, std::int64_t self, std::span<const double> factors, double* result);

    // See Force: false if sums are finished by what is not linear in them.
    bool (*sums_over_pairs)(const void* interaction);

    std::optional<RowKinds> row_kinds = {};  // of rows whose kinds are such whole numbers
};

}  // namespace trellis
