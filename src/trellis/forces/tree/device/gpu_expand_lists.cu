#include "trellis/forces/tree/device/gpu_expand_lists.hpp"

#include "trellis/devices/gpu/block_scan.cuh"
#include "trellis/devices/gpu/launch.cuh"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {
TRELLIS_GPU_BEGIN
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
    __shared__ ScanSpace<std::uint32_t, threads> space;
    __shared__ std::uint32_t begins[threads], rows[threads];
    const DeviceGroup group = groups[blockIdx.x];
    std::uint32_t* out = indices + group.first_index;
    for (std::uint32_t first = 0; first < group.range_count; first += threads) {
        const std::uint32_t number = first + threadIdx.x;
        const RowRange range = number < group.range_count ? ranges[group.first_range + number] : RowRange{0, 0};
        std::uint32_t total = 0;
        begins[threadIdx.x] = sum_before(range.count, total, space);
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
    launch_blocks(call, write_row_numbers, group_count, threads, reinterpret_cast<const DeviceGroup*>(call.memory[0]),
                  reinterpret_cast<const RowRange*>(call.memory[1]), reinterpret_cast<std::uint32_t*>(call.memory[2]));
}

}  // namespace
TRELLIS_GPU_END

void TRELLIS_GPU::register_expand_lists() { register_kernel(gpu_kind, expand_lists_kernel, &launch_expand_lists); }

}  // namespace trellis
