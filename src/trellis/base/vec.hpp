// Three-component vectors over any value type: double, float, or a SIMD batch of either.
#pragma once

#include <cstddef>

namespace trellis {

// Marks functions that a pair interaction calls, so that they can be compiled for accelerators, too.
#if defined(__CUDACC__) || defined(__HIP__)
#define TRELLIS_HOST_DEVICE __host__ __device__
#else
#define TRELLIS_HOST_DEVICE
#endif

// Small functions that kernel sources share with the rest: always inlined, so that no copy of them compiled for
// one instruction set can be linked into code for another.
#define TRELLIS_INLINE __attribute__((always_inline)) TRELLIS_HOST_DEVICE inline constexpr

template <class T>
struct Vec3 {
    T x, y, z;

    TRELLIS_INLINE T& operator[](std::size_t axis) { return axis == 0 ? x : axis == 1 ? y : z; }
    TRELLIS_INLINE const T& operator[](std::size_t axis) const { return axis == 0 ? x : axis == 1 ? y : z; }

    TRELLIS_INLINE Vec3& operator+=(const Vec3& o) { return x += o.x, y += o.y, z += o.z, *this; }
    TRELLIS_INLINE Vec3& operator-=(const Vec3& o) { return x -= o.x, y -= o.y, z -= o.z, *this; }
    // The sum may have another type than the values added to it.
    template <class U>
    TRELLIS_INLINE Vec3& operator+=(const Vec3<U>& o) {
        return x += o.x, y += o.y, z += o.z, *this;
    }
    template <class U>
    TRELLIS_INLINE Vec3& operator-=(const Vec3<U>& o) {
        return x -= o.x, y -= o.y, z -= o.z, *this;
    }
    TRELLIS_INLINE Vec3& operator*=(const T& s) { return x *= s, y *= s, z *= s, *this; }
    TRELLIS_INLINE Vec3& operator/=(const T& s) { return x /= s, y /= s, z /= s, *this; }

    friend TRELLIS_INLINE Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend TRELLIS_INLINE Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend TRELLIS_INLINE Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
    friend TRELLIS_INLINE Vec3 operator*(const T& s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
    friend TRELLIS_INLINE Vec3 operator*(const Vec3& a, const T& s) { return {a.x * s, a.y * s, a.z * s}; }
    friend TRELLIS_INLINE Vec3 operator/(const Vec3& a, const T& s) { return {a.x / s, a.y / s, a.z / s}; }
    friend bool operator==(const Vec3& a, const Vec3& b) = default;
};

template <class T>
TRELLIS_INLINE T dot(const Vec3<T>& a, const Vec3<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class T>
TRELLIS_INLINE Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

}  // namespace trellis
