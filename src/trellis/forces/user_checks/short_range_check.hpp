// Checks of an interaction of short range, each with an error in one sentence: see interaction_check.hpp.
#pragma once

#include "trellis/forces/short_range.hpp"
#include "trellis/forces/user_checks/interaction_check.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class I, class Search>
inline constexpr bool finds_radius = false;
template <class I, class F>
inline constexpr bool finds_radius<I, Gather<F>> = is_listed<F, typename I::Target>;
template <class I, class F>
inline constexpr bool finds_radius<I, Scatter<F>> = is_listed<F, typename I::Source>;
template <class I, class F>
inline constexpr bool finds_radius<I, Symmetric<F>> =
    is_listed<F, typename I::Target> && is_listed<F, typename I::Source>;

// True if Search exists, with the member or the field that it names.
template <class I>
constexpr bool check_search() {
    constexpr bool search = requires { typename SearchTraits<typename I::Search>::Radius; };
    static_assert(search,
                  "an interaction of short range lacks Search: 'using Search = Cutoff;', or Gather<F>, Scatter<F> or "
                  "Symmetric<F> with a field F, names the pairs that interact");
    if constexpr (!search) {
        return false;
    } else if constexpr (std::is_same_v<typename I::Search, Cutoff>) {
        constexpr bool cutoff = requires(const I& interaction) { static_cast<double>(interaction.cutoff); };
        static_assert(cutoff, "an interaction whose Search is Cutoff lacks the member cutoff: 'double cutoff;'");
        return cutoff;
    } else {
        constexpr bool radius = finds_radius<I, typename I::Search>;
        static_assert(
            radius,
            "the field of an interaction's Search is not listed: that of Gather must be in Target, of Scatter "
            "in Source, of Symmetric in both");
        return radius;
    }
}

// True if short_range_force can take the interaction, apart from its formula.
template <class I>
constexpr bool check_short_range() {
    if constexpr (check_fields<I>())
        return check_search<I>() && check_finish<I, OutcomeOf<I>>();
    else
        return false;
}

TRELLIS_ISA_END
}  // namespace trellis
