// The values that a pair interaction computes with: several vectors as one number. For kernel sources only.
//
// A pair interaction is a chain of some fifteen instructions, each of which waits about four cycles for the one before.
// A core looks only a few such chains ahead: one after the other they leave it half idle, side by side, in a batch of
// several vectors, they keep it busy.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "trellis/base/lane_mask.hpp"
#include "trellis/base/math.hpp"
#include "trellis/base/vector_rsqrt.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class T, class Numbers>
struct BatchOf;
template <class T, class Numbers>
struct BatchMaskOf;

// Count vectors as one number.
template <class T, int Count = 1>
using Batch = BatchOf<T, std::make_integer_sequence<int, Count>>;

// The outcome of a comparison of batches, one for each lane, as select takes it. K: the numbers of the parts.
template <class T, int... K>
struct BatchMaskOf<T, std::integer_sequence<int, K...>> {
    LaneMask<T> part[sizeof...(K)];

    BatchMaskOf() = default;
    TRELLIS_INLINE explicit BatchMaskOf(bool value) : part{(static_cast<void>(K), all_lanes_are<T>(value))...} {}

    constexpr explicit operator bool() const {
        static_assert(sizeof...(K) == 0,
                      "an interaction branches on a value (if, ?:, &&, ||, while), which has many lanes that differ: "
                      "write select(condition, a, b)");
        return false;
    }
    friend TRELLIS_INLINE BatchMaskOf operator&&(const BatchMaskOf& a, const BatchMaskOf& b) {
        BatchMaskOf result;
        ((result.part[K] = static_cast<LaneMask<T>>(a.part[K] & b.part[K])), ...);
        return result;
    }
    friend TRELLIS_INLINE BatchMaskOf operator||(const BatchMaskOf& a, const BatchMaskOf& b) {
        BatchMaskOf result;
        ((result.part[K] = static_cast<LaneMask<T>>(a.part[K] | b.part[K])), ...);
        return result;
    }
    friend TRELLIS_INLINE bool all_of(const BatchMaskOf& a) {
        return ((bits_of<T>(a.part[K]) == (1UL << lanes<T>)-1) && ...);
    }
    friend TRELLIS_INLINE BatchMaskOf operator!(const BatchMaskOf& a) {
        BatchMaskOf result;
        ((result.part[K] = static_cast<LaneMask<T>>(~a.part[K])), ...);
        return result;
    }
};

// Types whose values convert to T without loss, and int, for literals without a point.
template <class U, class T>
concept MixesWith = std::is_arithmetic_v<U> && (std::is_same_v<U, int> || requires(U number) { T{number}; });

#define TRELLIS_OF_EACH_PART(Result, operation, expression)                      \
    friend TRELLIS_INLINE Result operation(const BatchOf& a, const BatchOf& b) { \
        Result result;                                                           \
        ((result.part[K] = (expression)), ...);                                  \
        return result;                                                           \
    }

template <class T, int... K>
struct BatchOf<T, std::integer_sequence<int, K...>> {
    using Mask = BatchMaskOf<T, std::integer_sequence<int, K...>>;
    Vector<T> part[sizeof...(K)];

    static constexpr std::size_t size() { return sizeof...(K) * lanes<T>; }

    BatchOf() = default;
    // All parts equal. NOLINTBEGIN(google-explicit-constructor): vectors and numbers mix with batches
    TRELLIS_INLINE BatchOf(const Vector<T>& value) : part{(static_cast<void>(K), value)...} {}
    template <MixesWith<T> U>
    TRELLIS_INLINE BatchOf(U value) : BatchOf(all_lanes(static_cast<T>(value))) {}
    // NOLINTEND(google-explicit-constructor)

    TRELLIS_OF_EACH_PART(BatchOf, operator+, a.part[K] + b.part[K])
    TRELLIS_OF_EACH_PART(BatchOf, operator-, a.part[K] - b.part[K])
    TRELLIS_OF_EACH_PART(BatchOf, operator*, a.part[K] * b.part[K])
    TRELLIS_OF_EACH_PART(BatchOf, operator/, a.part[K] / b.part[K])
    TRELLIS_OF_EACH_PART(BatchOf, max, a.part[K] < b.part[K] ? b.part[K] : a.part[K])
    TRELLIS_OF_EACH_PART(BatchOf, min, b.part[K] < a.part[K] ? b.part[K] : a.part[K])
    TRELLIS_OF_EACH_PART(Mask, operator<, less<T>(a.part[K], b.part[K]))
    TRELLIS_OF_EACH_PART(Mask, operator<=, less_equal<T>(a.part[K], b.part[K]))
    TRELLIS_OF_EACH_PART(Mask, operator>, less<T>(b.part[K], a.part[K]))
    TRELLIS_OF_EACH_PART(Mask, operator>=, less_equal<T>(b.part[K], a.part[K]))
    TRELLIS_OF_EACH_PART(Mask, operator==, equal<T>(a.part[K], b.part[K]))
    TRELLIS_OF_EACH_PART(Mask, operator!=, not_equal<T>(a.part[K], b.part[K]))
    friend TRELLIS_INLINE BatchOf operator-(const BatchOf& a) {
        BatchOf result;
        ((result.part[K] = -a.part[K]), ...);
        return result;
    }
    TRELLIS_INLINE BatchOf& operator+=(const BatchOf& other) { return *this = *this + other; }
    TRELLIS_INLINE BatchOf& operator-=(const BatchOf& other) { return *this = *this - other; }
    TRELLIS_INLINE BatchOf& operator*=(const BatchOf& other) { return *this = *this * other; }
    TRELLIS_INLINE BatchOf& operator/=(const BatchOf& other) { return *this = *this / other; }
};

#undef TRELLIS_OF_EACH_PART

template <class T>
TRELLIS_INLINE T sum_of_lanes(const Batch<T>& batch) {
    return sum_of_lanes<T>(batch.part[0]);
}
// The mask as bits, one for each lane, lane 0 lowest.
template <class T>
TRELLIS_INLINE unsigned long bits_of(const BatchMaskOf<T, std::integer_sequence<int, 0>>& mask) {
    return bits_of<T>(mask.part[0]);
}

// A sum of batches that is itself one vector: the parts are added one after the other.
template <class T, class Numbers>
struct BatchSumOf;
template <class T, int Count>
using BatchSum = BatchSumOf<T, std::make_integer_sequence<int, Count>>;

template <class T, int... K>
struct BatchSumOf<T, std::integer_sequence<int, K...>> {
    using Value = BatchOf<T, std::integer_sequence<int, K...>>;
    Vector<T> total;

    TRELLIS_INLINE BatchSumOf& operator+=(const Value& value) { return ((total += value.part[K]), ...), *this; }
    TRELLIS_INLINE BatchSumOf& operator-=(const Value& value) { return ((total -= value.part[K]), ...), *this; }
};

TRELLIS_ISA_END

template <class T, int... K>
struct MathOf<BatchOf<T, std::integer_sequence<int, K...>>> {
    using V = BatchOf<T, std::integer_sequence<int, K...>>;
    using Argument = V;
    TRELLIS_INLINE static V rsqrt(const V& x) {
        V result;
        ((result.part[K] = vector_rsqrt(x.part[K])), ...);
        return result;
    }
    TRELLIS_INLINE static V exp(const V& x) {
        V result;
        for (std::size_t k = 0; k < sizeof...(K); ++k)
            for (std::size_t lane = 0; lane < lanes<T>; ++lane) result.part[k][lane] = std::exp(x.part[k][lane]);
        return result;
    }
    TRELLIS_INLINE static V select(const typename V::Mask& condition, const V& a, const V& b) {
        V result;
        ((result.part[K] = blend<T>(condition.part[K], a.part[K], b.part[K])), ...);
        return result;
    }
    TRELLIS_INLINE static V constant(double value) { return all_lanes(static_cast<T>(value)); }
};

// The functions of MathOf for the plain vectors that multipole expansions use.
template <class T>
struct MathOfVector {
    using Argument = Batch<T>;
    TRELLIS_INLINE static Vector<T> rsqrt(const Vector<T>& x) { return vector_rsqrt(x); }
    TRELLIS_INLINE static Vector<T> constant(double value) { return all_lanes(static_cast<T>(value)); }
};
template <>
struct MathOf<Vector<float>> : MathOfVector<float> {};
template <>
struct MathOf<Vector<double>> : MathOfVector<double> {};

}  // namespace trellis
