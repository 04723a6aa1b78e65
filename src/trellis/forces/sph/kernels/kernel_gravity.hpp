// The gravity of a unit of mass that is spread as a smoothing kernel in three dimensions, in units of h = 1, for q = r
// / h up to 1:
//
//     pull(q, q_inverse)     the attraction, over q: the mass within q, over q^3
//     depth(q, q_inverse)    minus the potential
//
// Both are 1 at q = 1, and fall from there on as those of a point do. Coefficients are exact in any precision.
#pragma once

#include "trellis/forces/sph/kernels/smoothing_kernel.hpp"

namespace trellis {

template <class Kernel>
struct KernelGravity;

// The coefficients are in fifteenths.
template <>
struct KernelGravity<CubicSpline<3>> {
    template <class V>
    TRELLIS_INLINE static V pull(const V& q, const V& q_inverse) {
        const V inner = 160.0f + q * q * (480.0f * q - 576.0f);
        const V outer = 320.0f + q * (-720.0f + q * (576.0f - 160.0f * q)) - power<3>(q_inverse);
        return select(q < 0.5f, inner, outer) * Constant{1.0 / 15};
    }
    template <class V>
    TRELLIS_INLINE static V depth(const V& q, const V& q_inverse) {
        const V q2 = q * q, inner = 42.0f + q2 * (-80.0f + q2 * (144.0f - 96.0f * q));
        const V outer = 48.0f + q2 * (-160.0f + q * (240.0f + q * (32.0f * q - 144.0f))) - q_inverse;
        return select(q < 0.5f, inner, outer) * Constant{1.0 / 15};
    }
};

template <>
struct KernelGravity<WendlandC2<3>> {
    template <class V>
    TRELLIS_INLINE static V pull(const V& q, const V&) {
        return 14.0f + q * q * (-84.0f + q * (140.0f + q * (-90.0f + 21.0f * q)));
    }
    template <class V>
    TRELLIS_INLINE static V depth(const V& q, const V&) {
        const V q2 = q * q;
        return 3.0f + q2 * (-7.0f + q2 * (21.0f + q * (-28.0f + q * (15.0f - 3.0f * q))));
    }
};

template <>
struct KernelGravity<WendlandC4<3>> {
    template <class V>
    TRELLIS_INLINE static V pull(const V& q, const V&) {
        const V q2 = q * q;
        return 20.625f + q2 * (-115.5f + q2 * (618.75f + q * (-1155.0f + q * (962.5f + q * (-396.0f + 65.625f * q)))));
    }
    template <class V>
    TRELLIS_INLINE static V depth(const V& q, const V&) {
        const V q2 = q * q, steep = 103.125f + q * (-165.0f + q * (120.3125f + q * (-44.0f + 6.5625f * q)));
        return 3.4375f - q2 * (10.3125f + q2 * (-28.875f + q2 * steep));
    }
};

}  // namespace trellis
