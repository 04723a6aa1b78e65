#include "gpu/peak.hpp"

#include "trellis/devices/kernels.hpp"

namespace bench {

namespace {

// Independent chains of multiply-adds in registers.
__global__ void multiply_add(MultiplyAddCall call, float* out) {
    float sums[chains];
    for (std::uint32_t k = 0; k < chains; ++k) sums[k] = static_cast<float>(threadIdx.x + k);
#pragma unroll 16
    for (std::uint32_t round = 0; round < call.rounds; ++round)
        for (std::uint32_t k = 0; k < chains; ++k) sums[k] = sums[k] * call.shrink + (1 - call.shrink);
    float total = 0;
    for (std::uint32_t k = 0; k < chains; ++k) total += sums[k];
    out[blockIdx.x * threads + threadIdx.x] = total;
}

void launch(const trellis::KernelCall& call) {
    const auto& given = call.get<MultiplyAddCall>();
    multiply_add<<<given.blocks, threads, 0, static_cast<cudaStream_t>(call.stream)>>>(
        given, reinterpret_cast<float*>(call.memory[0]));
}

}  // namespace

void register_multiply_add() { trellis::register_kernel(trellis::DeviceKind::cuda, multiply_add_kernel, &launch); }

}  // namespace bench
