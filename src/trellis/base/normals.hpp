// Normal random numbers from random bits (Box & Muller 1958), by one source for a double and for vectors of doubles.
// Without fused multiply-adds all give the same bits: no function of a mathematical library is called, since libraries
// differ in the last digits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "trellis/base/vec.hpp"

namespace trellis {

// The type of the 64-bit words that values of type V are made of, and the square root of V. Specialised in
// vector_words.hpp.
template <class V>
struct WordsOf {
    using Word = std::uint64_t;
    TRELLIS_INLINE static V root(const V& x) { return std::sqrt(x); }
};

namespace normals {

// Converts an integer below 2^52 to a number, minus `less`: the integer becomes the last digits of 2^52, which is then
// subtracted.
template <class V, class Word>
TRELLIS_INLINE V number(const Word& integer, double less) {
    return std::bit_cast<V>(integer | std::uint64_t{0x4330000000000000}) - (0x1p52 + less);
}

// sum of coefficient<k> x^k for k in [0, sizeof...(K)), by Horner's rule
template <template <int> class Coefficient, class V, int... K>
TRELLIS_INLINE V polynomial(const V& x, std::integer_sequence<int, K...>) {
    constexpr int last = sizeof...(K) - 1;
    V sum = V{} + Coefficient<last>::value;
    ((sum = K < last ? sum * x + Coefficient<(K < last ? last - 1 - K : 0)>::value : sum), ...);
    return sum;
}

// ln((1 + s) / (1 - s)) = 2 s + s x sum coefficient<k> x^k, x = s^2
template <int K>
struct OfLogarithm {
    static constexpr double value = 2.0 / (2 * K + 3);
};
// cos(f pi / 2) = sum coefficient<k> x^k, x = f^2; sin(f pi / 2) = f times such a sum
template <int K>
struct OfCosine {
    static constexpr double square = std::numbers::pi * std::numbers::pi / 4;
    static constexpr double value = -OfCosine<K - 1>::value * square / (2 * K * (2 * K - 1));
};
template <>
struct OfCosine<0> {
    static constexpr double value = 1;
};
template <int K>
struct OfSine {
    static constexpr double value = -OfSine<K - 1>::value * OfCosine<1>::square / (2 * K * (2 * K + 1));
};
template <>
struct OfSine<0> {
    static constexpr double value = std::numbers::pi / 2;
};

// sqrt(-2 ln u) for normal u in (0, 1): u = 2^k m with m from sqrt(1/2) to sqrt(2).
template <class V>
TRELLIS_INLINE V radius(const V& u) {
    constexpr std::uint64_t one = 0x3FF0000000000000, half_root = 0x3FE6A09E00000000;  // bits of 1 and of sqrt(1/2)
    const auto bits = std::bit_cast<typename WordsOf<V>::Word>(u);
    const auto exponent = (bits + (one - half_root)) >> 52;  // k + 1023
    const V m = std::bit_cast<V>(bits - (exponent << 52) + one);
    const V s = (m - 1.0) / (m + 1.0), x = s * s;
    const V log_m = 2.0 * s + s * (x * polynomial<OfLogarithm>(x, std::make_integer_sequence<int, 9>()));
    return WordsOf<V>::root(-2.0 * (number<V>(exponent, 1023) * std::numbers::ln2 + log_m));
}

template <class V>
struct Direction {
    V x, y;
};
// Cosine and sine of `quarters` quarter turns, 0 to 4: the nearest integer selects the quadrant, and the rest f gives
// the values.
template <class V>
TRELLIS_INLINE Direction<V> direction(const V& quarters) {
    const V large = quarters + 0x1.8p52;
    const auto quadrant = std::bit_cast<typename WordsOf<V>::Word>(large);  // in the last two bits
    const V f = quarters - (large - 0x1.8p52), x = f * f;
    const auto cosine =
        std::bit_cast<typename WordsOf<V>::Word>(polynomial<OfCosine>(x, std::make_integer_sequence<int, 9>()));
    const auto sine =
        std::bit_cast<typename WordsOf<V>::Word>(V(f * polynomial<OfSine>(x, std::make_integer_sequence<int, 8>())));
    const auto swap = (cosine ^ sine) & (std::uint64_t{0} - (quadrant & std::uint64_t{1}));
    const auto x_sign = ((quadrant + std::uint64_t{1}) & std::uint64_t{2}) << 62;
    const auto y_sign = (quadrant & std::uint64_t{2}) << 62;
    return {std::bit_cast<V>(cosine ^ swap ^ x_sign), std::bit_cast<V>(sine ^ swap ^ y_sign)};
}

}  // namespace normals

// Three normal numbers, independent and of variance 1, from the lower halves of four words of random bits.
template <class V, class Word>
TRELLIS_INLINE Vec3<V> three_normals(const Word& a, const Word& b, const Word& c, const Word& d) {
    const auto among = [](const Word& word, double unit) __attribute__((always_inline)) {  // above 0 and below 1
        return V(unit * normals::number<V>(Word(word & std::uint64_t{0xFFFFFFFF}), -0.5));
    };
    const V ring = normals::radius(among(a, 0x1p-32)), other_ring = normals::radius(among(c, 0x1p-32));
    const auto angle = normals::direction(among(b, 0x1p-30)), other_angle = normals::direction(among(d, 0x1p-30));
    return {ring * angle.x, ring * angle.y, other_ring * other_angle.x};
}

}  // namespace trellis
