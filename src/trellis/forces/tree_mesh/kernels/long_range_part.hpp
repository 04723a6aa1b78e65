// The smooth part L(r) of 1/r that a mesh computes (mesh/split.hpp), and its radial derivatives, which pairs and
// expansions within the cutoff leave out.
//
// radial<N>(r2, unit2): L_n u^(2n), L_0 = L, L_(n+1) = (1/r) dL_n/dr, unit2 = u^2. With u of the order of r they
// neither overflow nor vanish in single precision, in any unit of length.
#pragma once

#include <array>
#include <cstddef>

#include "trellis/base/math.hpp"
#include "trellis/base/unroll.hpp"

namespace trellis {

// S2 of diameter a (Ishiyama, Fukushige & Makino 2009, equation 9, integrated): with x = 2 r / a and z = max(x - 1, 0),
// L = (2 / a) (52/35 - 4/5 x^2 + 2/5 x^4 - 1/10 x^5 - 2/35 x^6 + 3/140 x^7 - z^7 (x + 3) / (35 x)), and 1/r from x = 2
// on. The derivatives up to the fifth are continuous.
struct S2LongRange {
    Constant per_radius;    // 2 / a
    Constant per_radius_2;  // 4 / a^2

    explicit S2LongRange(double a) : per_radius{2 / a}, per_radius_2{4 / (a * a)} {}

    template <int N, class V>
    TRELLIS_HOST_DEVICE __attribute__((always_inline)) std::array<V, N> radial(const V& r2, const V& unit2) const {
        const V x2 = r2 * per_radius_2, per_x = rsqrt(x2), x = x2 * per_x;
        std::array<V, N> part;
        if constexpr (N <= 2)
            first_two(x, x2, per_x, part);
        else
            from_powers(x, per_x, part);
        V scale = MathOf<V>::constant(1) * per_radius;
        for (V& value : part) {
            value = value * scale;
            scale = scale * (unit2 * per_radius_2);
        }
        return part;
    }

  private:
    template <class V>
    static TRELLIS_INLINE V number(double value) {
        return MathOf<V>::constant(value);
    }

    template <std::size_t N, class V>
    TRELLIS_INLINE static void first_two(const V& x, const V& x2, const V& per_x, std::array<V, N>& part) {
        const V z = max(V(x - number<V>(1)), 0), z2 = z * z, z6 = z2 * z2 * z2;
        const V inner =
            number<V>(2.0 / 5) + x * (number<V>(-1.0 / 10) + x * (number<V>(-2.0 / 35) + x * number<V>(3.0 / 140)));
        part[0] = number<V>(52.0 / 35) + x2 * (number<V>(-4.0 / 5) + x2 * inner) -
                  z6 * z * (number<V>(1.0 / 35) + number<V>(3.0 / 35) * per_x);
        if constexpr (N == 2) {
            const V slope =
                number<V>(8.0 / 5) + x * (number<V>(-1.0 / 2) + x * (number<V>(-12.0 / 35) + x * number<V>(3.0 / 20)));
            part[1] = number<V>(-8.0 / 5) + x2 * slope -
                      z6 * (number<V>(3.0 / 35) + x * (number<V>(18.0 / 35) + x * number<V>(1.0 / 5))) *
                          (per_x * per_x * per_x);
        }
    }

    // The coefficients of x^-1, 1, x, ... of a L / 2 for x < 1, and from there on.
    static constexpr int lowest = -1, terms = 9;
    static constexpr double within[terms] = {0, 52.0 / 35, 0, -4.0 / 5, 0, 2.0 / 5, -1.0 / 10, -2.0 / 35, 3.0 / 140};
    static constexpr double beyond[terms] = {3.0 / 35, 32.0 / 35, 8.0 / 5,  -16.0 / 5, 2,
                                             -2.0 / 5, -1.0 / 10, 2.0 / 35, -1.0 / 140};

    // The factor of x^(m - 2n) in (1/x d/dx)^n x^m.
    static constexpr double falling(int m, int n) { return n == 0 ? 1 : (m - 2 * n + 2) * falling(m, n - 1); }

    // Both polynomials, term by term; those that are 0 are left out.
    template <std::size_t N, class V>
    TRELLIS_INLINE static void from_powers(const V& x, const V& per_x, std::array<V, N>& part) {
        const auto outside = number<V>(1) < x;
        const V per_x2 = per_x * per_x;
        V down = number<V>(1);  // x^(-2n)
        unroll<int{N}>([&](auto n) {
            V inner = number<V>(0), outer = number<V>(0), power = per_x;
            unroll<terms>([&](auto k) {
                constexpr double factor = falling(lowest + k, n);
                if constexpr (factor * within[k] != 0) inner = inner + number<V>(factor * within[k]) * power;
                if constexpr (factor * beyond[k] != 0) outer = outer + number<V>(factor * beyond[k]) * power;
                power = power * x;
            });
            part[n] = down * select(outside, outer, inner);
            down = down * per_x2;
        });
    }
};

}  // namespace trellis
