#include "unit/devices/opencl/racing_sums.hpp"

#include <cstdint>

#include "trellis/devices/gpu/launch.cuh"

namespace trellis::racing_sums {

using namespace trellis::TRELLIS_GPU;

namespace {

template <Flaw flaw>
__device__ void wait() {
    if (flaw != Flaw::barrier_left_out) __syncthreads();
}

template <Flaw flaw, unsigned threads>
__global__ void __launch_bounds__(threads) add_up_blocks(const std::uint32_t* values, std::uint32_t* before) {
    constexpr unsigned buffers = flaw == Flaw::one_buffer ? 1 : 2;
    __shared__ std::uint32_t sums[buffers][threads];
    const std::uint32_t value = values[blockIdx.x * threads + threadIdx.x];
    unsigned now = 0;
    sums[now][threadIdx.x] = value;
    for (unsigned step = 1; step < threads; step *= 2) {
        wait<flaw>();
        const unsigned next = (now + 1) % buffers;
        const std::uint32_t sum = sums[now][threadIdx.x];
        sums[next][threadIdx.x] = threadIdx.x < step ? sum : sum + sums[now][threadIdx.x - step];
        now = next;
    }
    wait<flaw>();
    before[blockIdx.x * threads + threadIdx.x] = sums[now][threadIdx.x] - value;
}

template <Flaw flaw, unsigned threads>
void launch(const KernelCall& call) {
    launch_blocks(call, add_up_blocks<flaw, threads>, static_cast<unsigned>(call.get<Call>().blocks), threads,
                  reinterpret_cast<const std::uint32_t*>(call.memory[0]),
                  reinterpret_cast<std::uint32_t*>(call.memory[1]));
}

template <Flaw flaw>
void register_with() {
    register_kernel(gpu_kind, kernel_name(flaw, 1), launch<flaw, 1>);
    register_kernel(gpu_kind, kernel_name(flaw, 32), launch<flaw, 32>);
    register_kernel(gpu_kind, kernel_name(flaw, 77), launch<flaw, 77>);
    register_kernel(gpu_kind, kernel_name(flaw, 256), launch<flaw, 256>);
}

}  // namespace

std::string kernel_name(Flaw flaw, unsigned threads) {
    return "test.racing_sums." + std::to_string(static_cast<int>(flaw)) + "." + std::to_string(threads);
}

void register_kernels() {
    register_with<Flaw::none>();
    register_with<Flaw::barrier_left_out>();
    register_with<Flaw::one_buffer>();
}

}  // namespace trellis::racing_sums
