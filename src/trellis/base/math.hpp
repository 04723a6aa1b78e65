// The functions that a pair interaction calls beyond arithmetic, for scalars and, by base/batch.hpp, for SIMD batches.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "trellis/base/gpu.hpp"
#include "trellis/base/vec.hpp"

namespace trellis {

#if defined(__CUDACC__)
// 1 / sqrt(x) of x > 0 on a GPU, to about the last digit. For a float it is the hardware's instruction, which takes a
// subnormal number as 0; rsqrtf would spend three more instructions on those, in each pair.
__device__ __forceinline__ float device_rsqrt_of_positive(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ double device_rsqrt_of_positive(double x) { return ::rsqrt(x); }
#elif defined(__HIP__)
__device__ inline float device_rsqrt_of_positive(float x) { return ::rsqrt(x); }
__device__ inline double device_rsqrt_of_positive(double x) { return ::rsqrt(x); }
#endif

#if defined(__CUDACC__) || defined(__HIP__)
// The same, and 0 where x is 0.
__device__ inline float device_rsqrt(float x) {
    return x < std::numeric_limits<float>::min() ? 0.0f : device_rsqrt_of_positive(x);
}
__device__ inline double device_rsqrt(double x) { return x == 0 ? 0.0 : device_rsqrt_of_positive(x); }
#endif

// The functions below for a value type. Specialised for batches in base/batch.hpp.
template <class T>
struct MathOf {
    using Argument = T;  // the values as an interaction takes them
    TRELLIS_INLINE static T rsqrt(const T& x) {
#if defined(TRELLIS_ON_GPU)
        return device_rsqrt(x);
#else
        return x > T(0) ? T(1) / std::sqrt(x) : T(0);
#endif
    }
    TRELLIS_INLINE static T exp(const T& x) { return std::exp(x); }
    TRELLIS_INLINE static T select(bool condition, const T& a, const T& b) { return condition ? a : b; }
    TRELLIS_INLINE static T constant(double value) { return static_cast<T>(value); }
};

// A constant of an interaction that may lie beyond the range of float. It takes the precision of the values that it is
// added to or multiplies.
struct Constant {
    double value = 0;
    template <class T>
    friend TRELLIS_INLINE T operator+(const T& x, const Constant& constant) {
        return x + MathOf<T>::constant(constant.value);
    }
    template <class T>
    friend TRELLIS_INLINE T operator*(const T& x, const Constant& constant) {
        return x * MathOf<T>::constant(constant.value);
    }
};

// 1 / sqrt(x), and 0 where x is 0: particles at one position without softening exert no force on each other.
template <class T>
TRELLIS_INLINE T rsqrt(const T& x) {
    return MathOf<T>::rsqrt(x);
}

// 1 / sqrt(x) of x that is known to be above 0: on a GPU without the test.
template <class T>
TRELLIS_INLINE T rsqrt_of_positive(const T& x) {
#if defined(TRELLIS_ON_GPU)
    return device_rsqrt_of_positive(x);
#else
    return rsqrt(x);
#endif
}

// e to the power x.
template <class T>
TRELLIS_INLINE T exp(const T& x) {
    return MathOf<T>::exp(x);
}

// a where the condition is true, b elsewhere; b may be a plain number, as in select(r < c, x, 0.0f).
template <class Condition, class T>
TRELLIS_INLINE T select(const Condition& condition, const T& a, const std::type_identity_t<T>& b) {
    return MathOf<T>::select(condition, a, b);
}

// The larger and the smaller of two values; the second may be a plain number: max(x, 0.0f).
template <class T>
TRELLIS_INLINE T max(const T& a, const std::type_identity_t<T>& b) {
    return select(a < b, b, a);
}
template <class T>
TRELLIS_INLINE T min(const T& a, const std::type_identity_t<T>& b) {
    return select(b < a, b, a);
}

// The square root of x >= 0.
template <class T>
TRELLIS_INLINE T sqrt(const T& x) {
    return x * rsqrt(x);
}

}  // namespace trellis
