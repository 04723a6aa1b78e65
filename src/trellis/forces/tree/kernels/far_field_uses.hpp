// The use of memories by the kernels of device_far_field.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trellis/devices/kernels.hpp"
#include "trellis/devices/memory_use.hpp"
#include "trellis/forces/tree/kernels/device_far_field.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {

// Bytes of a cell's row, of a local expansion, and of an i-particle's row and results.
struct FarFieldBytes {
    std::size_t cell, local, row, results;
};

inline void locals_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses, const FarFieldBytes& bytes) {
    const std::uint64_t targets = KernelCall{constants, {}}.get<LocalsCall>().target_count;
    if (targets == 0) return;
    uses[0] = use_of<std::byte>(bytes.cell);
    uses[1] = use_of<FarTarget>(targets);
    uses[3] = use_of<std::byte>(size_product(targets, bytes.local));
}

inline void far_field_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses,
                           const FarFieldBytes& bytes) {
    const FarFieldCall header = KernelCall{constants, {}}.get<FarFieldCall>();
    if (header.group_count == 0) return;
    uses[0] = use_of<std::byte>(size_product(header.largest_group, bytes.row));
    uses[1] = use_of<DeviceGroup>(header.group_count);
    uses[2] = use_of<std::byte>(bytes.cell);
    uses[3] = use_of<FarGroup>(header.group_count);
    uses[4].optional = true;
    const auto use_targets = [&](std::size_t first, std::uint64_t count) {
        uses[first] = use_of<FarTarget>(count);
        uses[first + 1] = use_of<std::byte>(size_product(count, bytes.local));
        uses[first].optional = uses[first + 1].optional = count == 0;
    };
    use_targets(5, header.target_count);
    use_targets(7, header.trunk_count);
    uses[9] = use_of<std::byte>(size_product(header.largest_group, bytes.results));
}

}  // namespace trellis
