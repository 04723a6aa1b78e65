// CUDA's words as AMD's GPUs have them: see clang_stand_in.cuh. Mathematical functions are those of AMD's device
// library (ocml), which clang links into the code.
#pragma once

// The second of CUDA's bounds, blocks of a multiprocessor, is left out.
#define TRELLIS_MOST_THREADS(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __launch_bounds__(...) TRELLIS_MOST_THREADS(__VA_ARGS__, 0)

// Functions of float stand before the C++ library's, which are constexpr: clang then takes these on a GPU, if they are
// in a system header.
#pragma clang system_header
#define TRELLIS_FUNCTION(name)                                               \
    extern "C" __device__ float __ocml_##name##_f32(float x);                \
    extern "C" __device__ double __ocml_##name##_f64(double x);              \
    namespace std {                                                          \
    __device__ inline float name(float x) { return __ocml_##name##_f32(x); } \
    }
#define TRELLIS_FUNCTIONS(of) \
    of(sqrt) of(exp) of(log) of(cbrt) of(expm1) of(log1p) of(log2) of(floor) of(cos) of(sin) of(rint)
TRELLIS_FUNCTIONS(TRELLIS_FUNCTION)
#undef TRELLIS_FUNCTION

#include <cmath>
#include <cstddef>
#include <cstdint>

#define TRELLIS_FUNCTION(name)                                                 \
    __device__ inline double name(double x) { return __ocml_##name##_f64(x); } \
    namespace std {                                                            \
    using ::name;                                                              \
    }
TRELLIS_FUNCTIONS(TRELLIS_FUNCTION)
#undef TRELLIS_FUNCTION
#undef TRELLIS_FUNCTIONS
extern "C" __device__ double __ocml_ldexp_f64(double x, int power);
__device__ inline double ldexp(double x, int power) { return __ocml_ldexp_f64(x, power); }
namespace std {
using ::ldexp;
}
extern "C" __device__ double __ocml_rsqrt_f64(double x);
__device__ inline float rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }
__device__ inline double rsqrt(double x) { return __ocml_rsqrt_f64(x); }

template <int axis>
__device__ unsigned thread_of_block() {
    return axis == 0 ? __builtin_amdgcn_workitem_id_x() : __builtin_amdgcn_workitem_id_y();
}
template <int axis>
__device__ unsigned block_of_grid() {
    return axis == 0 ? __builtin_amdgcn_workgroup_id_x() : __builtin_amdgcn_workgroup_id_y();
}
template <int axis>
__device__ unsigned threads_of_block() {
    return axis == 0 ? __builtin_amdgcn_workgroup_size_x() : __builtin_amdgcn_workgroup_size_y();
}
template <int axis>
__device__ unsigned blocks_of_grid() {
    const unsigned threads = axis == 0 ? __builtin_amdgcn_grid_size_x() : __builtin_amdgcn_grid_size_y();
    return threads / threads_of_block<axis>();
}

__device__ inline void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Memory whose size the launch gives lies behind a kernel's other shared memory, whatever its argument.
extern __shared__ __attribute__((aligned(16))) double amdgcn_shared_space[];
__device__ inline double* shared_space(__attribute__((address_space(3))) double*) { return amdgcn_shared_space; }

__device__ inline unsigned atomicMax(unsigned* word, unsigned value) {
    return __hip_atomic_fetch_max(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ inline unsigned long long atomicAdd(unsigned long long* word, unsigned long long value) {
    return __hip_atomic_fetch_add(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
