// Positions in single precision without loss. For kernel sources and for GPUs.
#pragma once

#include "trellis/base/isa.hpp"
#include "trellis/base/vec.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class V>
[[gnu::always_inline]] inline Vec3<V> rounded(const Vec3<double>& v) {
    return {static_cast<V>(v.x), static_cast<V>(v.y), static_cast<V>(v.z)};
}

// A position as a value rounded to R and the rest: differences of two such pairs keep more digits than R has.
template <class R>
struct SplitPosition {
    explicit SplitPosition(const Vec3<double>& v) : value(rounded<R>(v)), rest(rounded<R>(v - as_doubles(value))) {}
    // From a row of a table: the value, and the rest behind it.
    TRELLIS_INLINE explicit SplitPosition(const R* row) : value{row[0], row[1], row[2]}, rest{row[3], row[4], row[5]} {}
    Vec3<R> value, rest;

  private:
    // The rounded value goes through memory: GCC 12, where it vectorises, replaces double(float(x)) by x, and the rest
    // would be zero.
    static Vec3<double> as_doubles(Vec3<R> v) {
        asm("" : "+m"(v));
        return {v.x, v.y, v.z};
    }
};

// a - b
template <class R>
TRELLIS_INLINE Vec3<R> difference(const SplitPosition<R>& a, const SplitPosition<R>& b) {
    return (a.value - b.value) + (a.rest - b.rest);
}

TRELLIS_ISA_END
}  // namespace trellis
