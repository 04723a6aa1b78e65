// Several batches as one value, so that independent chains of instructions alternate. For kernel sources only.
//
// A pair interaction is a chain of some fifteen instructions, each of which waits about four cycles for the one before.
// A core looks ahead no further than a few such chains: given one after the other they keep it half idle, given side by
// side they keep it busy.
#pragma once

#include <type_traits>

#include "trellis/base/simd.hpp"
#include "trellis/base/vec.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Calls combine for each part and returns the results side by side.
template <class Result, int Count, class Combine>
[[gnu::always_inline]] inline Result part_by_part(Combine&& combine) {
    Result result;
    unroll<Count>([&](auto k) __attribute__((always_inline)) { result.part[k] = combine(k); });
    return result;
}

#define TRELLIS_PART_BY_PART(Result, operation, Operand)                                           \
    friend TRELLIS_INLINE Result operator operation(const Operand& a, const Operand& b) {          \
        return part_by_part<Result, Count>(                                                        \
            [&](auto k) __attribute__((always_inline)) { return a.part[k] operation b.part[k]; }); \
    }

// The outcome of a comparison of Batches, one for each lane; select takes it.
template <class T, int Count>
struct BatchesMask {
    typename Batch<T>::mask_type part[Count];

    constexpr explicit operator bool() const {
        static_assert(Count == 0,
                      "an interaction branches on a value (if, ?:, &&, ||, while), which has many lanes that differ: "
                      "write select(condition, a, b)");
        return false;
    }
    TRELLIS_PART_BY_PART(BatchesMask, &&, BatchesMask)
    TRELLIS_PART_BY_PART(BatchesMask, ||, BatchesMask)
    friend TRELLIS_INLINE BatchesMask operator!(const BatchesMask& a) {
        return part_by_part<BatchesMask, Count>([&](auto k) __attribute__((always_inline)) { return !a.part[k]; });
    }
};

template <class T, int Count>
struct Batches {
    using Mask = BatchesMask<T, Count>;
    Batch<T> part[Count];

    Batches() = default;
    // All parts alike. NOLINTBEGIN(google-explicit-constructor): numbers mix with them as they do with a batch
    [[gnu::always_inline]] Batches(const Batch<T>& value) {
        unroll<Count>([&](auto k) __attribute__((always_inline)) { part[k] = value; });
    }
    template <class U>
        requires std::is_arithmetic_v<U> && std::is_convertible_v<U, Batch<T>>
    [[gnu::always_inline]] Batches(U value) : Batches(Batch<T>(value)) {}
    // NOLINTEND(google-explicit-constructor)

    TRELLIS_PART_BY_PART(Batches, +, Batches)
    TRELLIS_PART_BY_PART(Batches, -, Batches)
    TRELLIS_PART_BY_PART(Batches, *, Batches)
    TRELLIS_PART_BY_PART(Batches, /, Batches)
    TRELLIS_PART_BY_PART(Mask, <, Batches)
    TRELLIS_PART_BY_PART(Mask, <=, Batches)
    TRELLIS_PART_BY_PART(Mask, >, Batches)
    TRELLIS_PART_BY_PART(Mask, >=, Batches)
    TRELLIS_PART_BY_PART(Mask, ==, Batches)
    TRELLIS_PART_BY_PART(Mask, !=, Batches)
    friend TRELLIS_INLINE Batches operator-(const Batches& a) {
        return part_by_part<Batches, Count>([&](auto k) __attribute__((always_inline)) { return -a.part[k]; });
    }
    TRELLIS_INLINE Batches& operator+=(const Batches& other) { return *this = *this + other; }
    TRELLIS_INLINE Batches& operator-=(const Batches& other) { return *this = *this - other; }
    TRELLIS_INLINE Batches& operator*=(const Batches& other) { return *this = *this * other; }
    TRELLIS_INLINE Batches& operator/=(const Batches& other) { return *this = *this / other; }
};

#undef TRELLIS_PART_BY_PART

// A sum of Batches that is itself one batch: the parts are added one after the other.
template <class T, int Count>
struct BatchesSum {
    Batch<T> total;

    TRELLIS_INLINE BatchesSum& operator+=(const Batches<T, Count>& value) {
        unroll<Count>([&](auto k) __attribute__((always_inline)) { total += value.part[k]; });
        return *this;
    }
    TRELLIS_INLINE BatchesSum& operator-=(const Batches<T, Count>& value) {
        unroll<Count>([&](auto k) __attribute__((always_inline)) { total -= value.part[k]; });
        return *this;
    }
};

TRELLIS_ISA_END

template <class T, int Count>
struct MathOf<Batches<T, Count>> {
    using V = Batches<T, Count>;
    [[gnu::always_inline]] static V rsqrt(const V& x) {
        return part_by_part<V, Count>([&](auto k) __attribute__((always_inline)) { return batch_rsqrt(x.part[k]); });
    }
    [[gnu::always_inline]] static V exp(const V& x) {
        return part_by_part<V, Count>([&](auto k) __attribute__((always_inline)) { return trellis::exp(x.part[k]); });
    }
    [[gnu::always_inline]] static V select(const typename V::Mask& condition, const V& a, const V& b) {
        return part_by_part<V, Count>([&](auto k) __attribute__((always_inline)) {
            return trellis::select(condition.part[k], a.part[k], b.part[k]);
        });
    }
    [[gnu::always_inline]] static V constant(double value) { return V(Batch<T>(static_cast<T>(value))); }
};

}  // namespace trellis
