// Smoothing kernels in d = 1, 2 or 3 dimensions: W(r, h) = norm h^-d w(q), q = r / h. h is the radius of the support: w
// = 0 from q = 1 on.
//
//     norm                      makes the integral of W over space 1
//     value(q)                  w
//     gradient(q, q_inverse)    (dw/dq) / q: the gradient of W is norm h^-(d + 2) times that times the vector r
//     curvature(q)              d^2w/dq^2
//
// All are polynomials without branches and have integer coefficients, exact in any precision.
#pragma once

#include <numbers>

#include "trellis/base/math.hpp"

namespace trellis {

// x to the power N >= 1.
template <int N, class V>
TRELLIS_INLINE V power(const V& x) {
    if constexpr (N == 1) {
        return x;
    } else if constexpr (N % 2 == 0) {
        return power<N / 2>(V(x * x));
    } else {
        return x * power<N - 1>(x);
    }
}

// x to the power n, which is known at run time only.
inline double power(double x, int n) {
    double product = 1;
    for (int k = 0; k < n; ++k) product *= x;
    return product;
}

// The properties of a kernel, for code that does not depend on it.
struct SmoothingShape {
    int dimensions;
    double norm;
    double centre;  // w(0)
};

template <class Kernel>
SmoothingShape shape_of() {
    return {Kernel::dimensions, Kernel::norm, Kernel::value(0.0)};
}

// The M4 cubic spline (Monaghan & Lattanzio 1985): w = 1 - 6 q^2 + 6 q^3 up to q = 1/2, then 2 (1 - q)^3.
template <int Dim>
struct CubicSpline {
    static constexpr int dimensions = Dim;
    static constexpr double norm = Dim == 1 ? 4.0 / 3 : (Dim == 2 ? 40 / 7.0 : 8.0) * std::numbers::inv_pi;

    template <class V>
    TRELLIS_INLINE static V value(const V& q) {
        const V outer = max(V(1.0f - q), 0.0f), inner = max(V(0.5f - q), 0.0f);
        return 2.0f * power<3>(outer) - 8.0f * power<3>(inner);
    }
    template <class V>
    TRELLIS_INLINE static V gradient(const V& q, const V& q_inverse) {
        const V outer = max(V(1.0f - q), 0.0f);
        return select(q < 0.5f, V(18.0f * q - 12.0f), V(-6.0f * (outer * outer) * q_inverse));
    }
    template <class V>
    TRELLIS_INLINE static V curvature(const V& q) {
        const V outer = max(V(1.0f - q), 0.0f), inner = max(V(0.5f - q), 0.0f);
        return 12.0f * outer - 48.0f * inner;
    }
};

// Wendland's C2 (Dehnen & Aly 2012, Table 1): w = (1 - q)^4 (1 + 4 q), in one dimension (1 - q)^3 (1 + 3 q).
template <int Dim>
struct WendlandC2 {
    static constexpr int dimensions = Dim;
    static constexpr double norm = Dim == 1 ? 5.0 / 4 : (Dim == 2 ? 7.0 : 21.0 / 2) * std::numbers::inv_pi;

    template <class V>
    TRELLIS_INLINE static V value(const V& q) {
        const V t = max(V(1.0f - q), 0.0f);
        if constexpr (Dim == 1)
            return power<3>(t) * (1.0f + 3.0f * q);
        else
            return power<4>(t) * (1.0f + 4.0f * q);
    }
    template <class V>
    TRELLIS_INLINE static V gradient(const V& q, const V&) {
        const V t = max(V(1.0f - q), 0.0f);
        if constexpr (Dim == 1)
            return -12.0f * (t * t);
        else
            return -20.0f * power<3>(t);
    }
    template <class V>
    TRELLIS_INLINE static V curvature(const V& q) {
        const V t = max(V(1.0f - q), 0.0f);
        if constexpr (Dim == 1)
            return 12.0f * (t * (3.0f * q - 1.0f));
        else
            return 20.0f * (t * t * (4.0f * q - 1.0f));
    }
};

// Wendland's C4: w = (1 - q)^6 (3 + 18 q + 35 q^2), in one dimension (1 - q)^5 (1 + 5 q + 8 q^2).
template <int Dim>
struct WendlandC4 {
    static constexpr int dimensions = Dim;
    static constexpr double norm = Dim == 1 ? 3.0 / 2 : (Dim == 2 ? 3.0 : 165.0 / 32) * std::numbers::inv_pi;

    template <class V>
    TRELLIS_INLINE static V value(const V& q) {
        const V t = max(V(1.0f - q), 0.0f);
        if constexpr (Dim == 1)
            return power<5>(t) * (1.0f + q * (5.0f + 8.0f * q));
        else
            return power<6>(t) * (3.0f + q * (18.0f + 35.0f * q));
    }
    template <class V>
    TRELLIS_INLINE static V gradient(const V& q, const V&) {
        const V t = max(V(1.0f - q), 0.0f);
        if constexpr (Dim == 1)
            return -14.0f * power<4>(t) * (1.0f + 4.0f * q);
        else
            return -56.0f * power<5>(t) * (1.0f + 5.0f * q);
    }
    template <class V>
    TRELLIS_INLINE static V curvature(const V& q) {
        const V t = max(V(1.0f - q), 0.0f);
        if constexpr (Dim == 1)
            return -14.0f * (power<3>(t) * (1.0f + q * (3.0f - 24.0f * q)));
        else
            return -56.0f * (power<4>(t) * (1.0f + q * (4.0f - 35.0f * q)));
    }
};

}  // namespace trellis
