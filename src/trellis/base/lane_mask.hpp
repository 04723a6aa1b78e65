// Comparisons of vectors, lane by lane, and selection by their outcome. For kernel sources only.
//
// With AVX-512 a mask has one bit for each lane, in a mask register; otherwise it is a vector of integers, -1 for true.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "trellis/base/simd.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

#if defined(__AVX512F__)

template <class T>
using LaneMask = std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8>;

template <class T, int Predicate>
[[gnu::always_inline]] inline LaneMask<T> compare(const Vector<T>& a, const Vector<T>& b) {
    if constexpr (sizeof(T) == 4)
        return _mm512_cmp_ps_mask(a, b, Predicate);
    else
        return _mm512_cmp_pd_mask(a, b, Predicate);
}
template <class T>
[[gnu::always_inline]] inline LaneMask<T> less(const Vector<T>& a, const Vector<T>& b) {
    return compare<T, _CMP_LT_OS>(a, b);
}
template <class T>
[[gnu::always_inline]] inline LaneMask<T> less_equal(const Vector<T>& a, const Vector<T>& b) {
    return compare<T, _CMP_LE_OS>(a, b);
}
template <class T>
[[gnu::always_inline]] inline LaneMask<T> equal(const Vector<T>& a, const Vector<T>& b) {
    return compare<T, _CMP_EQ_OQ>(a, b);
}
template <class T>
[[gnu::always_inline]] inline LaneMask<T> not_equal(const Vector<T>& a, const Vector<T>& b) {
    return compare<T, _CMP_NEQ_UQ>(a, b);
}

// a where the mask is true, b elsewhere.
template <class T>
[[gnu::always_inline]] inline Vector<T> blend(const LaneMask<T>& mask, const Vector<T>& a, const Vector<T>& b) {
    if constexpr (sizeof(T) == 4)
        return _mm512_mask_blend_ps(mask, b, a);
    else
        return _mm512_mask_blend_pd(mask, b, a);
}

template <class T>
[[gnu::always_inline]] inline LaneMask<T> all_lanes_are(bool value) {
    return value ? static_cast<LaneMask<T>>(-1) : LaneMask<T>{0};
}

// The mask as bits, one for each lane, lane 0 lowest.
template <class T>
[[gnu::always_inline]] inline unsigned long bits_of(const LaneMask<T>& mask) {
    return mask;
}

#else

template <class T>
using LaneMask = decltype(Vector<T>{} < Vector<T>{});

template <class T>
[[gnu::always_inline]] inline LaneMask<T> less(const Vector<T>& a, const Vector<T>& b) {
    return a < b;
}
template <class T>
[[gnu::always_inline]] inline LaneMask<T> less_equal(const Vector<T>& a, const Vector<T>& b) {
    return a <= b;
}
template <class T>
[[gnu::always_inline]] inline LaneMask<T> equal(const Vector<T>& a, const Vector<T>& b) {
    return a == b;
}
template <class T>
[[gnu::always_inline]] inline LaneMask<T> not_equal(const Vector<T>& a, const Vector<T>& b) {
    return a != b;
}

// a where the mask is true, b elsewhere.
template <class T>
[[gnu::always_inline]] inline Vector<T> blend(const LaneMask<T>& mask, const Vector<T>& a, const Vector<T>& b) {
    return mask ? a : b;
}

template <class T>
[[gnu::always_inline]] inline LaneMask<T> all_lanes_are(bool value) {
    return LaneMask<T>{} - value;
}

// The mask as bits, one for each lane, lane 0 lowest.
template <class T>
[[gnu::always_inline]] inline unsigned long bits_of(const LaneMask<T>& mask) {
#if defined(__AVX__)
    if constexpr (sizeof(T) == 4)
        return static_cast<unsigned long>(_mm256_movemask_ps(std::bit_cast<__m256>(mask)));
    else
        return static_cast<unsigned long>(_mm256_movemask_pd(std::bit_cast<__m256d>(mask)));
#elif defined(__SSE2__)
    if constexpr (sizeof(T) == 4)
        return static_cast<unsigned long>(_mm_movemask_ps(std::bit_cast<__m128>(mask)));
    else
        return static_cast<unsigned long>(_mm_movemask_pd(std::bit_cast<__m128d>(mask)));
#else
    unsigned long bits = 0;
    for (std::size_t k = 0; k < lanes<T>; ++k) bits |= static_cast<unsigned long>(mask[k] != 0) << k;
    return bits;
#endif
}

#endif

TRELLIS_ISA_END
}  // namespace trellis
