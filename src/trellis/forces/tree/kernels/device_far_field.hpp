// Input and output of a device's kernels for far fields by expansions, the same on processors and GPUs.
//
// Cells are in a table of their own, a row each (cell_layout.hpp), with moments that the host has made. Targets are
// cells from the root down to the groups; those above the branches, the trunk, are in a table of their own, since all
// batches of groups share them. locals_kernel makes the local expansion of each target from its far cells (M2L).
// far_field_kernel carries those of all targets around a group to the group (L2L) and to its i-particles (L2P), adds
// the cells that act on the i-particles one by one (M2P), and adds the field to the results of pairs_kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace trellis {

// The kernels by name. locals_kernel: constants LocalsCall and behind it the interaction; memory: cells, targets,
// lists, locals (written). far_field_kernel: constants FarFieldCall and behind it the interaction; memory: rows and
// groups (device_pairs.hpp), cells, far groups, lists, targets, locals, the trunk's targets, the trunk's locals,
// results (added to); targets are as many as the call says, with their locals.
inline std::string locals_kernel(const char* interaction, int order, std::size_t value_bytes) {
    return std::string(interaction) + ".locals." + std::to_string(order) +
           (value_bytes == sizeof(float) ? ".single" : ".double");
}
inline std::string far_field_kernel(const char* interaction, int order, std::size_t value_bytes) {
    return std::string(interaction) + ".far_field." + std::to_string(order) +
           (value_bytes == sizeof(float) ? ".single" : ".double");
}

// Numbers of targets: of_trunk is set in those of the trunk.
inline constexpr std::uint32_t of_trunk = 0x80000000, no_target = 0xffffffff;

// The most targets around a group: a cell is halved once for each bit of its keys (most_depth of tree/cell.hpp). A
// kernel follows no more of them, so that it ends whatever a client has sent.
inline constexpr std::uint32_t most_around = 128;

struct FarTarget {
    std::uint32_t cell;
    std::uint32_t parent;      // the enclosing target; no_target: this is the root
    std::uint32_t first_cell;  // its far cells: numbers of cells in the lists
    std::uint32_t cell_count;
};

struct FarGroup {
    std::uint32_t cell;        // of the group itself
    std::uint32_t target;      // no_target: none has a local expansion
    std::uint32_t first_cell;  // cells that act on its i-particles one by one
    std::uint32_t cell_count;
};

struct alignas(16) LocalsCall {
    std::uint32_t target_count;
};

struct alignas(16) FarFieldCall {
    std::uint32_t group_count;
    std::uint32_t largest_group;  // most i-particles of a group
    std::uint32_t target_count, trunk_count;
};

}  // namespace trellis
