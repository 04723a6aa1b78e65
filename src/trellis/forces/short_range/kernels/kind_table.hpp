// Parameters of pairs of kinds of particles, as kernels read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "trellis/forces/short_range.hpp"

namespace trellis {

inline constexpr std::uint32_t most_kinds = 64;

// The parameters of an interaction by kinds, in both precisions. For each kind of j-particle, and each component of
// OfKinds, there are the values for all kinds of i-particles, padded to 32. The memory is the force's, aligned
// to cache lines.
struct KindTable {
    std::uint32_t count = 0;  // the number of kinds
    const float* single = nullptr;
    const double* exact = nullptr;

    template <class R>
    const R* values() const {
        if constexpr (std::is_same_v<R, float>)
            return single;
        else
            return exact;
    }
};

// The number of values for all kinds of i-particles, with the padding.
TRELLIS_INLINE std::size_t kind_stride(std::uint32_t count) { return (std::size_t{count} + 31) / 32 * 32; }
// The number of values of a table; components: those of OfKinds.
TRELLIS_INLINE std::size_t kind_values(std::uint32_t count, std::size_t components) {
    return count * components * kind_stride(count);
}

// The kind in a column; 0 for a number that is no kind.
template <class R>
TRELLIS_INLINE std::uint32_t kind_of(R value, std::uint32_t count) {
    return value >= R(0) && value < static_cast<R>(count) ? static_cast<std::uint32_t>(value) : 0;
}

// The parameters of a pair of particles, from a table of `count` kinds; NoKinds if the interaction knows no kinds.
template <class I, class R, class Target, class Source>
TRELLIS_HOST_DEVICE __attribute__((always_inline)) inline auto parameters_of_pair(const R* table, std::uint32_t count,
                                                                                  const Target& i, const Source& j) {
    if constexpr (ByKinds<I>) {
        constexpr std::size_t components = I::OfKinds::components;
        const R* of_j = table + kind_of(j[fields::particle_kind], count) * components * kind_stride(count);
        const std::size_t of_i = kind_of(i[fields::particle_kind], count);
        Record<typename I::OfKinds, R> found{};
        found.each_component([&](R& value, std::size_t c) { value = of_j[c * kind_stride(count) + of_i]; });
        return found;
    } else {
        return NoKinds{};
    }
}

}  // namespace trellis
