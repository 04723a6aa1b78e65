// Compiled with --fmad=false: trees and lists have the bits of the processor's (tools/check_fmad.py).
#include "trellis/resident/kernels/kernels.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <limits>
#include <stdexcept>
#include <string>

#include "trellis/devices/cuda/cuda_events.hpp"
#include "trellis/devices/grid_kernel.cuh"
#include "trellis/resident/kernels/force_kernels.hpp"
#include "trellis/resident/kernels/list_kernels.hpp"
#include "trellis/resident/kernels/particle_kernels.hpp"
#include "trellis/resident/kernels/sort_and_scan.hpp"
#include "trellis/resident/kernels/tree_kernels.hpp"

namespace trellis {

namespace {

// Asks CUB how much work space an algorithm needs, and runs it in call.space.
template <class Algorithm>
void run_in(std::byte* space, const OrderCall& call, Algorithm&& algorithm) {
    if (call.count > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        throw std::runtime_error("cannot sort or add up " + std::to_string(call.count) + " values at once");
    std::size_t bytes = 0;
    check_cuda(algorithm(nullptr, bytes));
    if (bytes > call.space)
        throw std::runtime_error("needs " + std::to_string(bytes) + " bytes of work space to sort or add up " +
                                 std::to_string(call.count) + " values, and has " + std::to_string(call.space));
    check_cuda(algorithm(space, bytes));
}

void sort_on_gpu(const KernelCall& call) {
    const auto& order = call.get<OrderCall>();
    const auto count = static_cast<int>(order.count);
    const auto stream = static_cast<cudaStream_t>(call.stream);
    cub::DoubleBuffer<std::uint64_t> keys(reinterpret_cast<std::uint64_t*>(call.memory[0]),
                                          reinterpret_cast<std::uint64_t*>(call.memory[2]));
    cub::DoubleBuffer<std::uint32_t> indices(reinterpret_cast<std::uint32_t*>(call.memory[1]),
                                             reinterpret_cast<std::uint32_t*>(call.memory[3]));
    run_in(call.memory[4], order, [&](void* space, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(space, bytes, keys, indices, count, 0, key_bits, stream);
    });
    // Copies the values from the buffer of the two in which CUB has left them.
    const auto bring_back = [&](auto& buffer, std::byte* home) {
        if (reinterpret_cast<std::byte*>(buffer.Current()) != home)
            check_cuda(cudaMemcpyAsync(home, buffer.Current(), order.count * sizeof *buffer.Current(),
                                       cudaMemcpyDeviceToDevice, stream));
    };
    bring_back(keys, call.memory[0]);
    bring_back(indices, call.memory[1]);
}

template <class T>
void scan_on_gpu(const KernelCall& call) {
    const auto& order = call.get<OrderCall>();
    T* values = reinterpret_cast<T*>(call.memory[0]);
    run_in(call.memory[1], order, [&](void* space, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(space, bytes, values, values, static_cast<int>(order.count),
                                             static_cast<cudaStream_t>(call.stream));
    });
}

}  // namespace

void register_resident_kernels_for_cuda() {
    register_for_cuda(ParticleGridKernels{});
    register_for_cuda(TreeGridKernels{});
    register_for_cuda(ListGridKernels{});
    register_for_cuda(ForceGridKernels{});
    register_kernel(DeviceKind::cuda, sort_kernel, sort_on_gpu);
    register_kernel(DeviceKind::cuda, scan_kernel_32, scan_on_gpu<std::uint32_t>);
    register_kernel(DeviceKind::cuda, scan_kernel_64, scan_on_gpu<std::uint64_t>);
}

}  // namespace trellis
