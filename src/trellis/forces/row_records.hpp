// Records of i- and j-particles, from the rows of row_layout.hpp.
#pragma once

#include "trellis/forces/components.hpp"
#include "trellis/forces/row_layout.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The number of values from one row of an interaction to the next.
template <class I>
inline constexpr std::size_t record_stride =
    row_stride_of(UnionOfFields<typename I::Source, typename I::Target>::component_count());

// Component c of the interaction's fields; positions are relative to another row's.
template <class R>
TRELLIS_INLINE R row_value(const R* row, const R* origin, std::size_t c) {
    return c < 3 ? apart(row, origin, c) : row[place_in_row(c)];
}

// A row as a j-particle.
template <class I, class R>
TRELLIS_INLINE Record<typename I::Source, R> source_of(const R* row, const R* origin) {
    Record<typename I::Source, R> source{};
    source.each_component([&](R& value, std::size_t c) { value = row_value(row, origin, c); });
    return source;
}

// A row as an i-particle.
template <class I, class R>
TRELLIS_INLINE Record<typename I::Target, R> target_of(const R* row, const R* origin) {
    constexpr auto components = TargetComponents<I>::value;
    Record<typename I::Target, R> target{};
    target.each_component([&](R& value, std::size_t c) { value = row_value(row, origin, components[c]); });
    return target;
}

TRELLIS_ISA_END
}  // namespace trellis
