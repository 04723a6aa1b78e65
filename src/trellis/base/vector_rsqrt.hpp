// 1 / sqrt(x) of vectors. For kernel sources only.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "trellis/base/lane_mask.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// One Newton step for y near 1 / sqrt(x), half = y / 2: doubles the number of right digits; leaves y = 0 as it is.
template <class V>
[[gnu::always_inline]] inline V refine_rsqrt(const V& x, const V& y, const V& half) {
    return y + half * (1 - (x * y) * y);
}
template <class V>
[[gnu::always_inline]] inline V refine_rsqrt(const V& x, const V& y) {
    return refine_rsqrt<V>(x, y, y / 2);
}

template <class T>
[[gnu::always_inline]] inline Vector<T> exact_rsqrt(const Vector<T>& x) {
    Vector<T> root{};
    for (std::size_t k = 0; k < lanes<T>; ++k) root[k] = std::sqrt(x[k]);
    return blend<T>(equal<T>(x, Vector<T>{}), Vector<T>{}, 1 / root);
}

// 1 / sqrt(x) to about the last digit, and 0 where x is 0. With AVX-512 zeros are detected while the guess is refined,
// off the chain of dependent instructions that limits an interaction. The guess, never subnormal, is halved by its
// exponent, because an interaction keeps the multipliers busy.
[[gnu::always_inline]] inline Vector<float> vector_rsqrt(const Vector<float>& x) {
#if defined(__AVX512F__)
    const LaneMask<float> nonzero = not_equal<float>(x, Vector<float>{});
    const __m512 guess = _mm512_rsqrt14_ps(x);
    const __m512i half = _mm512_sub_epi32(_mm512_castps_si512(guess), _mm512_set1_epi32(1 << 23));
    return _mm512_maskz_mov_ps(nonzero, refine_rsqrt<Vector<float>>(x, guess, _mm512_castsi512_ps(half)));
#elif defined(__AVX2__)
    // The guess for a subnormal number is infinite: it counts as 0.
    const auto normal = _mm256_cmp_ps(x, _mm256_set1_ps(std::numeric_limits<float>::min()), _CMP_NLT_UQ);
    return refine_rsqrt<Vector<float>>(x, _mm256_and_ps(normal, _mm256_rsqrt_ps(x)));
#else
    return exact_rsqrt<float>(x);
#endif
}

[[gnu::always_inline]] inline Vector<double> vector_rsqrt(const Vector<double>& x) {
#if defined(__AVX512F__)
    using V = Vector<double>;
    const LaneMask<double> nonzero = not_equal<double>(x, V{});
    return _mm512_maskz_mov_pd(nonzero, refine_rsqrt<V>(x, refine_rsqrt<V>(x, _mm512_rsqrt14_pd(x))));
#else
    return exact_rsqrt<double>(x);
#endif
}

TRELLIS_ISA_END
}  // namespace trellis
