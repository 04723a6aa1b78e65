// Sort and running sums (sort_and_scan.hpp) on a GPU, by blocks that each take a tile of elements.
#include "trellis/resident/kernels/sort_and_scan.hpp"

#include "trellis/devices/gpu/block_scan.cuh"
#include "trellis/devices/gpu/launch.cuh"

namespace trellis {
TRELLIS_GPU_BEGIN
namespace {

constexpr unsigned threads = 256, own = 8;  // consecutive elements of a thread
constexpr std::uint64_t tile = threads * own;
constexpr unsigned digit_bits = 4, digits = 1 << digit_bits;

std::uint64_t tiles_of(std::uint64_t count) { return (count + tile - 1) / tile; }

// Calls body with the number of each of this thread's elements.
template <class Body>
__device__ void each_own(std::uint64_t count, const Body& body) {
    const std::uint64_t first = blockIdx.x * tile + threadIdx.x * own;
    for (std::uint64_t k = first; k < first + own && k < count; ++k) body(k);
}

// Block b: sums[b] becomes the sum of tile b.
template <class T>
__global__ void __launch_bounds__(threads) sum_tiles(const T* values, std::uint64_t count, T* sums) {
    __shared__ ScanSpace<T, threads> space;
    T sum = 0, total = 0;
    each_own(count, [&](std::uint64_t k) { sum += values[k]; });
    sum_before(sum, total, space);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// One block: each value becomes the sum of those before it.
template <class T>
__global__ void __launch_bounds__(threads) add_up(T* values, std::uint64_t count) {
    __shared__ ScanSpace<T, threads> space;
    T before = 0;
    for (std::uint64_t first = 0; first < count; first += threads) {
        const std::uint64_t k = first + threadIdx.x;
        T total = 0;
        const T sum = before + sum_before(k < count ? values[k] : T{0}, total, space);
        if (k < count) values[k] = sum;
        before += total;
    }
}

// Block b: each value of tile b becomes the sum of those before it. sums: of all values before each tile.
template <class T>
__global__ void __launch_bounds__(threads) add_up_tiles(T* values, std::uint64_t count, const T* sums) {
    __shared__ ScanSpace<T, threads> space;
    T sum = 0, total = 0;
    each_own(count, [&](std::uint64_t k) { sum += values[k]; });
    T before = sums[blockIdx.x] + sum_before(sum, total, space);
    each_own(count, [&](std::uint64_t k) {
        const T value = values[k];
        values[k] = before;
        before += value;
    });
}

template <class T>
void scan(const KernelCall& call, T* values, std::uint64_t count, T* sums) {
    const auto tiles = static_cast<unsigned>(tiles_of(count));
    launch_blocks(call, sum_tiles<T>, tiles, threads, values, count, sums);
    launch_blocks(call, add_up<T>, 1, threads, sums, std::uint64_t{tiles});
    launch_blocks(call, add_up_tiles<T>, tiles, threads, values, count, sums);
}

template <class T>
void scan_on_gpu(const KernelCall& call) {
    scan(call, reinterpret_cast<T*>(call.memory[0]), call.get<OrderCall>().count, reinterpret_cast<T*>(call.memory[1]));
}

struct Items {
    std::uint64_t* keys;
    std::uint32_t* indices;
};

__device__ unsigned digit_of(std::uint64_t key, unsigned shift) {
    return static_cast<unsigned>(key >> shift) & (digits - 1);
}

// The keys of a tile with each digit, for each thread, which counts its own.
using DigitCounts = std::uint32_t[digits][threads];

__device__ void count_own(const Items& items, std::uint64_t count, unsigned shift, DigitCounts& counts) {
    for (unsigned d = 0; d < digits; ++d) counts[d][threadIdx.x] = 0;
    each_own(count, [&](std::uint64_t k) { ++counts[digit_of(items.keys[k], shift)][threadIdx.x]; });
    __syncthreads();
}

// Block b: counts[d * blocks + b] becomes the number of keys of tile b with digit d.
__global__ void __launch_bounds__(threads)
    count_digits(const Items from, std::uint64_t count, unsigned shift, std::uint32_t* counts) {
    __shared__ DigitCounts of_threads;
    count_own(from, count, shift, of_threads);
    if (threadIdx.x >= digits) return;
    std::uint32_t sum = 0;
    for (const std::uint32_t each : of_threads[threadIdx.x]) sum += each;
    counts[threadIdx.x * std::uint64_t{gridDim.x} + blockIdx.x] = sum;
}

// Block b: moves the keys of tile b, and their indices, to their places by one digit. before: the sums of the counts of
// count_digits.
__global__ void __launch_bounds__(threads)
    move_by_digit(const Items from, const Items to, std::uint64_t count, unsigned shift, const std::uint32_t* before) {
    __shared__ DigitCounts positions;
    __shared__ std::uint32_t starts[digits];
    __shared__ ScanSpace<std::uint32_t, threads> space;
    count_own(from, count, shift, positions);

    // The counts of all threads, digit by digit, become the sums of those before; each thread takes some in a row.
    std::uint32_t* const some = &positions[0][0] + threadIdx.x * digits;
    std::uint32_t sum = 0, total = 0;
    for (unsigned k = 0; k < digits; ++k) sum += some[k];
    std::uint32_t next = sum_before(sum, total, space);
    for (unsigned k = 0; k < digits; ++k) {
        const std::uint32_t here = some[k];
        some[k] = next;
        next += here;
    }
    __syncthreads();
    if (threadIdx.x < digits)
        starts[threadIdx.x] = before[threadIdx.x * std::uint64_t{gridDim.x} + blockIdx.x] - positions[threadIdx.x][0];
    __syncthreads();

    each_own(count, [&](std::uint64_t k) {
        const unsigned digit = digit_of(from.keys[k], shift);
        const std::uint32_t place = starts[digit] + positions[digit][threadIdx.x]++;
        to.keys[place] = from.keys[k];
        to.indices[place] = from.indices[k];
    });
}

// Moves all by one digit after the other, the lowest first; after an even number of moves they are back.
void sort_on_gpu(const KernelCall& call) {
    const std::uint64_t count = call.get<OrderCall>().count;
    const auto tiles = static_cast<unsigned>(tiles_of(count));
    const auto items = [&](std::size_t first) {
        return Items{reinterpret_cast<std::uint64_t*>(call.memory[first]),
                     reinterpret_cast<std::uint32_t*>(call.memory[first + 1])};
    };
    Items from = items(0), to = items(2);
    auto* const counts = reinterpret_cast<std::uint32_t*>(call.memory[4]);
    const std::uint64_t all_counts = std::uint64_t{digits} * tiles;
    for (unsigned shift = 0; shift < 64; shift += digit_bits, std::swap(from, to)) {
        launch_blocks(call, count_digits, tiles, threads, from, count, shift, counts);
        scan(call, counts, all_counts, counts + all_counts);
        launch_blocks(call, move_by_digit, tiles, threads, from, to, count, shift, counts);
    }
}

}  // namespace
TRELLIS_GPU_END

void TRELLIS_GPU::register_sort_and_scan_for_gpus() {
    register_kernel(gpu_kind, sort_kernel, sort_on_gpu);
    register_kernel(gpu_kind, scan_kernel_32, scan_on_gpu<std::uint32_t>);
    register_kernel(gpu_kind, scan_kernel_64, scan_on_gpu<std::uint64_t>);
}

}  // namespace trellis
