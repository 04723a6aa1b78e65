// CUDA's declarations for clang, which compiles the sources for GPUs to SPIR-V as HIP, without a HIP library: included
// before everything else (cmake/spirv.cmake). Functions of SPIR-V have the names that llvm-spirv knows.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))

#include <cmath>
#include <cstddef>
#include <cstdint>

__device__ std::size_t __spirv_BuiltInLocalInvocationId(int axis);
__device__ std::size_t __spirv_BuiltInWorkgroupId(int axis);
__device__ std::size_t __spirv_BuiltInWorkgroupSize(int axis);
__device__ std::size_t __spirv_BuiltInNumWorkgroups(int axis);
__device__ void __spirv_ControlBarrier(int execution, int memory, int semantics) __attribute__((convergent));
__device__ float __spirv_ocl_rsqrt(float x);
__device__ double __spirv_ocl_rsqrt(double x);
__device__ double __spirv_ocl_ldexp(double x, int power);

// Functions of double precision, which are not constexpr as those of float are in the C++ library.
#define TRELLIS_FUNCTION(name)                                                \
    __device__ double __spirv_ocl_##name(double x);                           \
    __device__ inline double name(double x) { return __spirv_ocl_##name(x); } \
    namespace std {                                                           \
    using ::name;                                                             \
    }
TRELLIS_FUNCTION(sqrt)
TRELLIS_FUNCTION(exp)
TRELLIS_FUNCTION(log)
TRELLIS_FUNCTION(cbrt)
TRELLIS_FUNCTION(expm1)
TRELLIS_FUNCTION(log1p)
TRELLIS_FUNCTION(log2)
TRELLIS_FUNCTION(floor)
TRELLIS_FUNCTION(cos)
TRELLIS_FUNCTION(sin)
TRELLIS_FUNCTION(rint)
#undef TRELLIS_FUNCTION
__device__ inline double ldexp(double x, int power) { return __spirv_ocl_ldexp(x, power); }
namespace std {
using ::ldexp;
}

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    constexpr dim3(unsigned along_x = 1, unsigned along_y = 1, unsigned along_z = 1)
        : x(along_x), y(along_y), z(along_z) {}
};

// threadIdx.x calls the function of SPIR-V for axis 0.
#define TRELLIS_INDEX(name, function)                                                      \
    struct name##_of {                                                                     \
        __declspec(property(get = along_x)) unsigned x;                                    \
        __declspec(property(get = along_y)) unsigned y;                                    \
        __device__ unsigned along_x() const { return static_cast<unsigned>(function(0)); } \
        __device__ unsigned along_y() const { return static_cast<unsigned>(function(1)); } \
    };                                                                                     \
    extern const __device__ __attribute__((weak)) name##_of name;
TRELLIS_INDEX(threadIdx, __spirv_BuiltInLocalInvocationId)
TRELLIS_INDEX(blockIdx, __spirv_BuiltInWorkgroupId)
TRELLIS_INDEX(blockDim, __spirv_BuiltInWorkgroupSize)
TRELLIS_INDEX(gridDim, __spirv_BuiltInNumWorkgroups)
#undef TRELLIS_INDEX

// A barrier of the work group (scope 2) that orders its local and global memory (acquire, release: 0x8; 0x100, 0x200).
__device__ inline void __syncthreads() { __spirv_ControlBarrier(2, 2, 0x8 | 0x100 | 0x200); }

// Atomic functions of words in global memory (scope 1: the device; order 0: relaxed).
#define TRELLIS_GLOBAL __attribute__((address_space(1)))
__device__ unsigned __spirv_AtomicUMax(TRELLIS_GLOBAL unsigned* word, int scope, int order, unsigned value);
__device__ unsigned long __spirv_AtomicIAdd(TRELLIS_GLOBAL unsigned long* word, int scope, int order,
                                            unsigned long value);
__device__ inline unsigned atomicMax(unsigned* word, unsigned value) {
    return __spirv_AtomicUMax((TRELLIS_GLOBAL unsigned*)word, 1, 0, value);
}
__device__ inline unsigned long long atomicAdd(unsigned long long* word, unsigned long long value) {
    return __spirv_AtomicIAdd((TRELLIS_GLOBAL unsigned long*)word, 1, 0, value);
}
#undef TRELLIS_GLOBAL

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
