// Sort and running sums on a device: the kernels that have one source for the processor and another for GPUs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trellis/base/gpu.hpp"
#include "trellis/devices/device.hpp"

namespace trellis {

// Bytes of work space for count elements: counts and sums of tiles of them.
constexpr std::size_t sort_space(std::size_t count) { return count / 16 + 1024; }
constexpr std::size_t scan_space(std::size_t count) { return count / 128 + 1024; }

inline constexpr const char* sort_kernel = "resident.sort";
inline constexpr const char* scan_kernel_32 = "resident.scan.32";
inline constexpr const char* scan_kernel_64 = "resident.scan.64";

// Sorts keys, and indices (32 bits) in the same order, by the keys (64 bits, of which the lowest 63 count); equal keys
// keep their order. other_keys and other_indices: work space of the same sizes; their contents afterwards are
// undefined.
void sort_by_key(Queue& queue, std::size_t count, const DeviceMemory& keys, const DeviceMemory& indices,
                 const DeviceMemory& other_keys, const DeviceMemory& other_indices, const DeviceMemory& space);

// Replaces each of count values (32 or 64 bits) by the sum of those before it.
void sum_before_32(Queue& queue, std::size_t count, const DeviceMemory& values, const DeviceMemory& space);
void sum_before_64(Queue& queue, std::size_t count, const DeviceMemory& values, const DeviceMemory& space);

// The kernels' constants.
struct OrderCall {
    std::uint64_t count;
    std::uint64_t space;  // bytes
};

// Registers the kernels for all kinds of devices.
void register_sort_and_scan();
// The part for GPUs.
TRELLIS_DECLARE_FOR_GPUS(void register_sort_and_scan_for_gpus())

}  // namespace trellis
