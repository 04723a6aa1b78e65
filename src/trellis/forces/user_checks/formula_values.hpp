// The values with which the formula of an interaction is compiled first, before the kernels' batches: they know the
// same operations, and have an error of one sentence for what is written by mistake. They compute nothing.
#pragma once

#include <concepts>
#include <type_traits>

#include "trellis/base/lane_functions.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class U>
concept PlainNumber = std::is_arithmetic_v<U>;

// Numbers that mix with batches of floats; others end here.
template <class U>
TRELLIS_INLINE void check_mixes() {
    static_assert(
        MixesWith<U, float>,
        "a formula mixes a value with a double, or a long or unsigned integer, but values are floats in single "
        "precision: write 2.0f or 2 in place of 2.0, let the member be a float, or convert it with float(...)");
}

// The outcome of a comparison. T: float, which makes errors appear where the formula uses them.
template <class T>
struct CheckedMaskOf {
    constexpr CheckedMaskOf() = default;
    constexpr explicit CheckedMaskOf(bool) {}
    constexpr explicit operator bool() const {
        static_assert(sizeof(T) == 0,
                      "an interaction branches on a value (if, ?:, &&, ||, while, std::max), which has many lanes that "
                      "differ: write select(condition, a, b), or max(a, b)");
        return false;
    }
    friend constexpr CheckedMaskOf operator&&(const CheckedMaskOf&, const CheckedMaskOf&) { return {}; }
    friend constexpr CheckedMaskOf operator||(const CheckedMaskOf&, const CheckedMaskOf&) { return {}; }
    friend constexpr CheckedMaskOf operator!(const CheckedMaskOf&) { return {}; }
};

#define TRELLIS_CHECKED_OPERATION(Outcome, operation)                                               \
    friend constexpr Outcome operation(const CheckedValueOf&, const CheckedValueOf&) { return {}; } \
    template <PlainNumber U>                                                                        \
    friend constexpr Outcome operation(const CheckedValueOf&, U) {                                  \
        return check_mixes<U>(), Outcome();                                                         \
    }                                                                                               \
    template <PlainNumber U>                                                                        \
    friend constexpr Outcome operation(U, const CheckedValueOf&) {                                  \
        return check_mixes<U>(), Outcome();                                                         \
    }
#define TRELLIS_CHECKED_FUNCTION(name) \
    friend constexpr CheckedValueOf name(const CheckedValueOf&) { return {}; }

// A value of i or j, or what is computed from such values.
template <class T>
struct CheckedValueOf {
    using Mask = CheckedMaskOf<T>;

    constexpr CheckedValueOf() = default;
    // NOLINTBEGIN(google-explicit-constructor): numbers mix with batches, and std::sqrt takes what converts to a double
    template <PlainNumber U>
    constexpr CheckedValueOf(U) {
        check_mixes<U>();
    }
    constexpr operator double() const {
        static_assert(sizeof(T) == 0,
                      "a formula calls a function of the standard library with a value, or converts it to a plain "
                      "number: write sqrt(x) in place of std::sqrt(x); there are rsqrt, sqrt, exp, log, pow, sin, cos, "
                      "tanh, cbrt, erf, erfc, abs, min, max, select, dot and cross");
        return 0;
    }
    // NOLINTEND(google-explicit-constructor)
    constexpr explicit operator bool() const { return static_cast<bool>(Mask()); }

    TRELLIS_CHECKED_OPERATION(CheckedValueOf, operator+)
    TRELLIS_CHECKED_OPERATION(CheckedValueOf, operator-)
    TRELLIS_CHECKED_OPERATION(CheckedValueOf, operator*)
    TRELLIS_CHECKED_OPERATION(CheckedValueOf, operator/)
    TRELLIS_CHECKED_OPERATION(CheckedValueOf, max)
    TRELLIS_CHECKED_OPERATION(CheckedValueOf, min)
    TRELLIS_CHECKED_OPERATION(Mask, operator<)
    TRELLIS_CHECKED_OPERATION(Mask, operator<=)
    TRELLIS_CHECKED_OPERATION(Mask, operator>)
    TRELLIS_CHECKED_OPERATION(Mask, operator>=)
    TRELLIS_CHECKED_OPERATION(Mask, operator==)
    TRELLIS_CHECKED_OPERATION(Mask, operator!=)
    TRELLIS_CHECKED_FUNCTION(operator-)
    TRELLIS_CHECKED_FUNCTION(log)
    TRELLIS_CHECKED_FUNCTION(sin)
    TRELLIS_CHECKED_FUNCTION(cos)
    TRELLIS_CHECKED_FUNCTION(tanh)
    TRELLIS_CHECKED_FUNCTION(cbrt)
    TRELLIS_CHECKED_FUNCTION(erf)
    TRELLIS_CHECKED_FUNCTION(erfc)
    TRELLIS_CHECKED_FUNCTION(abs)
    friend constexpr CheckedValueOf pow(const CheckedValueOf&, const CheckedValueOf&) { return {}; }
    template <PlainNumber U>
    friend constexpr CheckedValueOf pow(const CheckedValueOf&, U) {
        return {};
    }
    template <PlainNumber U>
    friend constexpr CheckedValueOf pow(U, const CheckedValueOf&) {
        return {};
    }
    template <PlainNumber U>
    friend constexpr CheckedValueOf select(const Mask&, U, const CheckedValueOf&) {
        return check_mixes<U>(), CheckedValueOf();
    }

    constexpr CheckedValueOf& operator+=(const CheckedValueOf&) { return *this; }
    constexpr CheckedValueOf& operator-=(const CheckedValueOf&) { return *this; }
    constexpr CheckedValueOf& operator*=(const CheckedValueOf&) { return *this; }
    constexpr CheckedValueOf& operator/=(const CheckedValueOf&) { return *this; }
};

#undef TRELLIS_CHECKED_OPERATION
#undef TRELLIS_CHECKED_FUNCTION

using CheckedValue = CheckedValueOf<float>;

TRELLIS_ISA_END

template <class T>
struct MathOf<CheckedValueOf<T>> {
    using V = CheckedValueOf<T>;
    static constexpr V rsqrt(const V&) { return {}; }
    static constexpr V exp(const V&) { return {}; }
    template <class Condition>
    static constexpr V select(const Condition&, const V&, const V&) {
        static_assert(
            std::is_same_v<Condition, typename V::Mask>,
            "the condition of select(condition, a, b) is a comparison of values, as in select(r2 < c2, a, b)");
        return {};
    }
    static constexpr V constant(double) { return {}; }
};

}  // namespace trellis
