#include "trellis/forces/tree/device/cuda_expand_lists.hpp"

#include <cub/block/block_scan.cuh>

#include "trellis/devices/kernels.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {

namespace {

constexpr std::uint32_t threads = 256;

// The last index in [0, threads) at which `begins`, which ascends from 0, is at most k.
__device__ std::uint32_t last_at_most(const std::uint32_t* begins, std::uint32_t k) {
    std::uint32_t place = 0;
    for (std::uint32_t step = threads / 2; step > 0; step /= 2)
        if (begins[place + step] <= k) place += step;
    return place;
}

// Block g: the list of group g. Its ranges are taken `threads` at a time; then each thread writes every threads-th row
// number, so that writes are contiguous for ranges of any length.
__global__ void __launch_bounds__(threads)
    write_row_numbers(const DeviceGroup* __restrict__ groups, const RowRange* __restrict__ ranges,
                      std::uint32_t* __restrict__ indices) {
    using Scan = cub::BlockScan<std::uint32_t, threads>;
    __shared__ typename Scan::TempStorage storage;
    __shared__ std::uint32_t begins[threads], rows[threads];
    const DeviceGroup group = groups[blockIdx.x];
    std::uint32_t* out = indices + group.first_index;
    for (std::uint32_t first = 0; first < group.range_count; first += threads) {
        const std::uint32_t number = first + threadIdx.x;
        const RowRange range = number < group.range_count ? ranges[group.first_range + number] : RowRange{0, 0};
        std::uint32_t begin, total;
        Scan(storage).ExclusiveSum(range.count, begin, total);
        begins[threadIdx.x] = begin;
        rows[threadIdx.x] = range.first;
        __syncthreads();
        for (std::uint32_t k = threadIdx.x; k < total; k += threads) {
            const std::uint32_t place = last_at_most(begins, k);
            out[k] = rows[place] + (k - begins[place]);
        }
        out += total;
        __syncthreads();  // the next ranges overwrite these
    }
}

void launch_expand_lists(const KernelCall& call) {
    const std::uint32_t group_count = call.get<ListsCall>().group_count;
    if (group_count == 0) return;
    write_row_numbers<<<group_count, threads, 0, static_cast<cudaStream_t>(call.stream)>>>(
        reinterpret_cast<const DeviceGroup*>(call.memory[0]), reinterpret_cast<const RowRange*>(call.memory[1]),
        reinterpret_cast<std::uint32_t*>(call.memory[2]));
}

}  // namespace

void register_expand_lists() { register_kernel(DeviceKind::cuda, expand_lists_kernel, &launch_expand_lists); }

}  // namespace trellis
