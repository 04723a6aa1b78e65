// Functions of <cmath> for batches, which a formula then calls as it does for doubles: log, sin, cos, tanh, cbrt, erf,
// erfc, abs, pow. They are computed lane by lane, and a call takes as long as tens of operations of arithmetic; abs and
// powers with a whole number as exponent are arithmetic.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>

#include "trellis/base/batch.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// function(lane of x, lane of y) for each lane.
template <class T, class Numbers, class Function>
TRELLIS_INLINE BatchOf<T, Numbers> of_each_lane(const BatchOf<T, Numbers>& x, const BatchOf<T, Numbers>& y,
                                                const Function& function) {
    BatchOf<T, Numbers> result = x;
    for (std::size_t k = 0; k < x.size() / lanes<T>; ++k)
        for (std::size_t lane = 0; lane < lanes<T>; ++lane)
            result.part[k][lane] = function(x.part[k][lane], y.part[k][lane]);
    return result;
}

#define TRELLIS_FUNCTION_OF_LANES(name)                                                         \
    template <class T, class Numbers>                                                           \
    TRELLIS_INLINE BatchOf<T, Numbers> name(const BatchOf<T, Numbers>& x) {                     \
        return of_each_lane(x, x, [](T value, T) { return static_cast<T>(std::name(value)); }); \
    }
TRELLIS_FUNCTION_OF_LANES(log)
TRELLIS_FUNCTION_OF_LANES(sin)
TRELLIS_FUNCTION_OF_LANES(cos)
TRELLIS_FUNCTION_OF_LANES(tanh)
TRELLIS_FUNCTION_OF_LANES(cbrt)
TRELLIS_FUNCTION_OF_LANES(erf)
TRELLIS_FUNCTION_OF_LANES(erfc)
#undef TRELLIS_FUNCTION_OF_LANES

template <class T, class Numbers>
TRELLIS_INLINE BatchOf<T, Numbers> abs(const BatchOf<T, Numbers>& x) {
    return max(x, -x);
}
// In a formula with doubles: the C library's abs, which its unqualified name may find, is that of integers.
template <std::floating_point T>
TRELLIS_INLINE T abs(const T& x) {
    return std::abs(x);
}

// A plain number comes first: max(0.0f, x), select(r < c, 0.0f, x). The outcome of two numbers has the finer type.
template <class A, class B>
concept UnlikeNumbers = std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && !std::is_same_v<A, B>;

template <class A, UnlikeNumbers<A> B>
TRELLIS_INLINE std::common_type_t<A, B> select(bool condition, const A& a, const B& b) {
    return condition ? std::common_type_t<A, B>(a) : std::common_type_t<A, B>(b);
}
template <class A, UnlikeNumbers<A> B>
TRELLIS_INLINE std::common_type_t<A, B> max(const A& a, const B& b) {
    return select(a < b, b, a);
}
template <class A, UnlikeNumbers<A> B>
TRELLIS_INLINE std::common_type_t<A, B> min(const A& a, const B& b) {
    return select(b < a, b, a);
}
template <class T, class Numbers, MixesWith<T> U>
TRELLIS_INLINE BatchOf<T, Numbers> select(const BatchMaskOf<T, Numbers>& condition, U a, const BatchOf<T, Numbers>& b) {
    return select(condition, BatchOf<T, Numbers>(a), b);
}

// x to the power y: both batches, or one of them a number.
template <class T, class Numbers>
TRELLIS_INLINE BatchOf<T, Numbers> pow(const BatchOf<T, Numbers>& x, const BatchOf<T, Numbers>& y) {
    return of_each_lane(x, y, [](T base, T exponent) { return static_cast<T>(std::pow(base, exponent)); });
}
template <class T, class Numbers, std::floating_point U>
TRELLIS_INLINE BatchOf<T, Numbers> pow(const BatchOf<T, Numbers>& x, U exponent) {
    return pow(x, BatchOf<T, Numbers>(static_cast<T>(exponent)));
}
template <class T, class Numbers, class U>
    requires std::is_arithmetic_v<U>
TRELLIS_INLINE BatchOf<T, Numbers> pow(U base, const BatchOf<T, Numbers>& y) {
    return pow(BatchOf<T, Numbers>(static_cast<T>(base)), y);
}
template <class T, class Numbers, std::integral U>
TRELLIS_INLINE BatchOf<T, Numbers> pow(const BatchOf<T, Numbers>& x, U exponent) {
    BatchOf<T, Numbers> power = 1, square = x;
    for (long long left = exponent < 0 ? -static_cast<long long>(exponent) : static_cast<long long>(exponent); left > 0;
         left /= 2) {
        if (left % 2 == 1) power *= square;
        square *= square;
    }
    return exponent < 0 ? BatchOf<T, Numbers>(1) / power : power;
}

TRELLIS_ISA_END
}  // namespace trellis
