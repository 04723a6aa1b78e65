// Checks of the optional members of an interaction: one that is there, but not as it is called, would be left out
// without a word. See interaction_check.hpp.
#pragma once

#include <array>
#include <concepts>
#include <type_traits>

#include "trellis/base/isa.hpp"
#include "trellis/forces/interaction.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// has_finish<I>: I has a member of that name, of any kind. It is then found in both bases, which is an error. So for
// the other names.
#define TRELLIS_HAS_MEMBER(name)             \
    struct Named_##name {                    \
        int name;                            \
    };                                       \
    template <class I>                       \
    struct With_##name : I, Named_##name {}; \
    template <class I>                       \
    concept has_##name = !std::is_final_v<I> && !requires { &With_##name<I>::name; };
TRELLIS_HAS_MEMBER(finish)
TRELLIS_HAS_MEMBER(radial)
TRELLIS_HAS_MEMBER(far_field)
TRELLIS_HAS_MEMBER(coupling)
TRELLIS_HAS_MEMBER(at)
TRELLIS_HAS_MEMBER(check)
#undef TRELLIS_HAS_MEMBER

// A record that no function takes a copy of.
template <class List, class V>
struct KeptRecord : Record<List, V> {
    KeptRecord() = default;
    KeptRecord(const KeptRecord&) = delete;
};

// finish of an interaction of long range.
template <class I>
constexpr bool check_finish_of_sums() {
    using Sums = KeptRecord<typename I::Result, double>;
    constexpr bool fits = !has_finish<I> || requires(const I& interaction, Sums& sum) { interaction.finish(sum); };
    static_assert(fits, "finish of an interaction of long range is 'void finish(auto& sum) const'");
    return fits;
}

// finish of an interaction of short range. Outcome: the fields of its sum.
template <class I, class Outcome>
constexpr bool check_finish() {
    using Target = Record<typename I::Target, double>;
    using Sums = KeptRecord<Outcome, double>;
    constexpr bool fits =
        !has_finish<I> || requires(const I& interaction, const Target& i, Sums& sum) { interaction.finish(i, sum); };
    static_assert(fits, "finish of an interaction of short range is 'void finish(const auto& i, auto& sum) const'");
    return fits;
}

// radial and far_field, which are there together.
template <class I>
constexpr bool check_expansion() {
    using Target = Record<typename I::Target, double>;
    using Sums = KeptRecord<typename I::Result, double>;
    constexpr bool radial = !has_radial<I> || Expandable<I>;
    constexpr bool far_field = requires(const I& interaction, const Target& i, double phi, Vec3<double> gradient,
                                        Sums& sum) { interaction.far_field(i, phi, gradient, sum); };
    static_assert(
        radial,
        "radial of an interaction is 'template <int N, class V> std::array<V, N> radial(const V& r2, const V& "
        "unit2) const'");
    static_assert(far_field || !has_radial<I>,
                  "an interaction with radial lacks 'void far_field(const auto& i, const auto& phi, const auto& "
                  "gradient, auto& sum) const', which adds to sum what phi and its gradient do to i");
    static_assert(
        has_radial<I> || !has_far_field<I>,
        "an interaction with far_field lacks radial: 'template <int N, class V> std::array<V, N> radial(const "
        "V& r2, const V& unit2) const'");
    return radial && (far_field || !has_radial<I>) && (has_radial<I> || !has_far_field<I>);
}

template <class I>
constexpr bool check_coupling() {
    constexpr bool fits = !has_coupling<I> || requires(const I& interaction) {
        { interaction.coupling() } -> std::convertible_to<double>;
    };
    static_assert(fits, "coupling of an interaction is a function: 'double coupling() const'");
    return fits;
}

TRELLIS_ISA_END
}  // namespace trellis
