// The sums with which the formula of an interaction is compiled first: see formula_values.hpp.
#pragma once

#include <concepts>
#include <type_traits>

#include "trellis/forces/interaction.hpp"
#include "trellis/forces/user_checks/formula_values.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The list that a field of sum is of: Result, Maximum or Minimum.
enum class Kept { sum, maximum, minimum };

#define TRELLIS_NEVER(T, sentence) static_assert(sizeof(T) == 0, sentence)
// NOLINTBEGIN(bugprone-macro-parentheses): Self names a class
// Operations that kernels' sums do not have, for numbers and vectors.
#define TRELLIS_REFUSED_OF_SUMS(Self)                                                                           \
    constexpr Self() = default;                                                                                 \
    constexpr Self(const Self&) {                                                                               \
        TRELLIS_NEVER(T, "a copy of sum[...] is changed, and sum itself is not: write auto& in place of auto"); \
    }                                                                                                           \
    constexpr Self& operator=(const Self&) { return *this = 0; }                                                \
    template <class U>                                                                                          \
    constexpr Self& operator=(const U&) {                                                                       \
        TRELLIS_NEVER(U, "operator() assigns to sum[...], which other pairs add to: write sum[...] += or -=");  \
        return *this;                                                                                           \
    }                                                                                                           \
    template <class U>                                                                                          \
    constexpr Self& operator*=(const U&) {                                                                      \
        TRELLIS_NEVER(U,                                                                                        \
                      "operator() scales sum[...], which other pairs add to: a common factor belongs in "       \
                      "finish");                                                                                \
        return *this;                                                                                           \
    }                                                                                                           \
    template <class U>                                                                                          \
    constexpr Self& operator/=(const U& value) {                                                                \
        return *this *= value;                                                                                  \
    }
// NOLINTEND(bugprone-macro-parentheses)

// A component of sum. T: float, which makes errors appear where the formula uses it.
template <class T, Kept kept>
struct CheckedSum {
    TRELLIS_REFUSED_OF_SUMS(CheckedSum)

    constexpr CheckedSum& operator+=(const CheckedValueOf<T>&) {
        static_assert(kept == Kept::sum,
                      "sum[...] of a field in Maximum takes raise_to(value), in Minimum lower_to(value)");
        return *this;
    }
    constexpr CheckedSum& operator-=(const CheckedValueOf<T>& value) { return *this += value; }
    constexpr const CheckedSum& operator+=(const CheckedValueOf<T>&) const {
        TRELLIS_NEVER(T, "operator() takes sum as const, so that nothing can be added: write 'auto& sum'");
        return *this;
    }
    constexpr const CheckedSum& operator-=(const CheckedValueOf<T>& value) const { return *this += value; }
    template <class U>
        requires(!std::convertible_to<const U&, CheckedValueOf<T>>)
    constexpr CheckedSum& operator+=(const U&) {
        TRELLIS_NEVER(U, "operator() adds to sum[...] of a number what is no number, such as a vector");
        return *this;
    }
    template <class U>
        requires(!std::convertible_to<const U&, CheckedValueOf<T>>)
    constexpr CheckedSum& operator-=(const U& value) {
        return *this += value;
    }
    constexpr void raise_to(const CheckedValueOf<T>&) {
        static_assert(kept == Kept::maximum, "raise_to is for fields of Maximum: those of Result take += and -=");
    }
    constexpr void lower_to(const CheckedValueOf<T>&) {
        static_assert(kept == Kept::minimum, "lower_to is for fields of Minimum: those of Result take += and -=");
    }
};

// A vector of sum.
template <class T, Kept kept>
struct CheckedVectorSum : Vec3<CheckedSum<T, kept>> {
    TRELLIS_REFUSED_OF_SUMS(CheckedVectorSum)

    template <class U>
    constexpr CheckedVectorSum& operator+=(const Vec3<U>& vector) {
        return this->x += vector.x, *this;
    }
    template <class U>
    constexpr CheckedVectorSum& operator-=(const Vec3<U>& vector) {
        return *this += vector;
    }
    template <class U>
    constexpr const CheckedVectorSum& operator+=(const Vec3<U>& vector) const {
        return this->x += vector.x, *this;
    }
    template <class U>
    constexpr const CheckedVectorSum& operator-=(const Vec3<U>& vector) const {
        return *this += vector;
    }
    template <class U>
    constexpr CheckedVectorSum& operator+=(const U&) {
        TRELLIS_NEVER(U,
                      "operator() adds to sum[...] of a vector what is no vector: write its components, or value * d");
        return *this;
    }
    template <class U>
    constexpr CheckedVectorSum& operator-=(const U& value) {
        return *this += value;
    }
};

#undef TRELLIS_REFUSED_OF_SUMS

template <class F, Kept kept>
struct CheckedSlot {
    std::conditional_t<F::components == 3, CheckedVectorSum<float, kept>, CheckedSum<float, kept>> value;
    constexpr auto& operator[](F) { return value; }
    constexpr const auto& operator[](F) const { return value; }
};

// sum itself. It cannot be copied: see check_formula.
template <class Result, class Maximum, class Minimum>
struct CheckedSums;

template <class... R, class... A, class... I>
struct CheckedSums<Fields<R...>, Fields<A...>, Fields<I...>> : Record<Fields<>, CheckedValue>,
                                                               CheckedSlot<R, Kept::sum>...,
                                                               CheckedSlot<A, Kept::maximum>...,
                                                               CheckedSlot<I, Kept::minimum>... {
    using Record<Fields<>, CheckedValue>::operator[];
    using CheckedSlot<R, Kept::sum>::operator[]...;
    using CheckedSlot<A, Kept::maximum>::operator[]...;
    using CheckedSlot<I, Kept::minimum>::operator[]...;

    CheckedSums() = default;
    CheckedSums(const CheckedSums&) = delete;
    template <class U>
    constexpr void operator=(const U&) {
        TRELLIS_NEVER(U, "operator() assigns to sum: write sum[field] += value, for each field of Result");
    }
    template <class U>
    constexpr void operator+=(const U&) {
        TRELLIS_NEVER(U, "operator() adds to sum as a whole: write sum[field] += value, for each field of Result");
    }
    template <class U>
    constexpr void operator-=(const U&) {
        TRELLIS_NEVER(U, "operator() adds to sum as a whole: write sum[field] -= value, for each field of Result");
    }
};

#undef TRELLIS_NEVER

TRELLIS_ISA_END
}  // namespace trellis
