// CUDA's words as SPIR-V has them: see clang_stand_in.cuh. Its functions have the names that llvm-spirv knows. clang
// reads this for the host, too, where no function is called.
#pragma once

#define __launch_bounds__(...)

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
__device__ inline float rsqrt(float x) { return __spirv_ocl_rsqrt(x); }
__device__ inline double rsqrt(double x) { return __spirv_ocl_rsqrt(x); }

template <int axis>
__device__ unsigned thread_of_block() {
    return static_cast<unsigned>(__spirv_BuiltInLocalInvocationId(axis));
}
template <int axis>
__device__ unsigned block_of_grid() {
    return static_cast<unsigned>(__spirv_BuiltInWorkgroupId(axis));
}
template <int axis>
__device__ unsigned threads_of_block() {
    return static_cast<unsigned>(__spirv_BuiltInWorkgroupSize(axis));
}
template <int axis>
__device__ unsigned blocks_of_grid() {
    return static_cast<unsigned>(__spirv_BuiltInNumWorkgroups(axis));
}

// A barrier of the work group (scope 2) that orders its local and global memory (acquire, release: 0x8; 0x100, 0x200).
__device__ inline void __syncthreads() { __spirv_ControlBarrier(2, 2, 0x8 | 0x100 | 0x200); }

// Memory whose size the launch gives is a kernel's argument.
#define TRELLIS_SHARED __attribute__((address_space(3)))
__device__ inline double* shared_space(TRELLIS_SHARED double* argument) { return (double*)argument; }
#undef TRELLIS_SHARED

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
