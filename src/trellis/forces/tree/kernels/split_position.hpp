// Positions in single precision without loss. For kernel sources only.
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
    Vec3<R> value, rest;

  private:
    // The rounded value goes through memory: GCC 12, where it vectorises, replaces double(float(x)) by x, and the rest
    // would be zero.
    static Vec3<double> as_doubles(Vec3<R> v) {
        asm("" : "+m"(v));
        return {v.x, v.y, v.z};
    }
};

TRELLIS_ISA_END
}  // namespace trellis
