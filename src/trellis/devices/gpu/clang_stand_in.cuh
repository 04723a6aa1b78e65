// CUDA's declarations for clang, which compiles the sources for GPUs as HIP, without a HIP library: included before
// everything else (cmake/clang_kernels.cmake). What SPIR-V and AMD's GPUs do differently is in a file each.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))

#if defined(__HIP_DEVICE_COMPILE__) && defined(__AMDGCN__)
#include "trellis/devices/gpu/amdgcn_words.cuh"
#else
#include "trellis/devices/gpu/spirv_words.cuh"
#endif

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    constexpr dim3(unsigned along_x = 1, unsigned along_y = 1, unsigned along_z = 1)
        : x(along_x), y(along_y), z(along_z) {}
};

// threadIdx.x calls the function for axis 0.
#define TRELLIS_INDEX(name, function)                                 \
    struct name##_of {                                                \
        __declspec(property(get = along_x)) unsigned x;               \
        __declspec(property(get = along_y)) unsigned y;               \
        __device__ unsigned along_x() const { return function<0>(); } \
        __device__ unsigned along_y() const { return function<1>(); } \
    };                                                                \
    extern const __device__ __attribute__((weak)) name##_of name;
TRELLIS_INDEX(threadIdx, thread_of_block)
TRELLIS_INDEX(blockIdx, block_of_grid)
TRELLIS_INDEX(blockDim, threads_of_block)
TRELLIS_INDEX(gridDim, blocks_of_grid)
#undef TRELLIS_INDEX

// Zeros above the highest bit; the number of the lowest bit, from 1.
__device__ inline int __clzll(long long bits) { return bits == 0 ? 64 : __builtin_clzll(bits); }
__device__ inline int __ffs(int bits) { return bits == 0 ? 0 : __builtin_ctz(bits) + 1; }

template <class T>
constexpr T min(T a, T b) {
    return b < a ? b : a;
}

// Declarations that clang takes from a HIP library.
using hipStream_t = void*;
enum hipError_t { hipSuccess };
extern "C" hipError_t __hipPushCallConfiguration(dim3 blocks, dim3 threads, std::size_t = 0, hipStream_t = nullptr);
extern "C" hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, std::size_t, hipStream_t);
