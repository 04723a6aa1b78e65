// Checks of an interaction, each with an error in one sentence, before its kernels are instantiated, where the
// compiler's errors fill pages.
#pragma once

#include <type_traits>

#include "trellis/forces/interaction.hpp"
#include "trellis/forces/short_range.hpp"
#include "trellis/forces/user_checks/formula_sums.hpp"
#include "trellis/forces/user_checks/formula_values.hpp"
#include "trellis/forces/user_checks/member_check.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <class List>
inline constexpr bool begins_with_position = false;
template <class... F>
inline constexpr bool begins_with_position<Fields<Position, F...>> = true;

template <class F, class List>
inline constexpr bool is_listed = false;
template <class F, class... Listed>
inline constexpr bool is_listed<F, Fields<Listed...>> = (std::is_same_v<F, Listed> || ...);

// True if Target, Source and Result exist, and begin with the right fields.
template <class I>
constexpr bool check_fields() {
    constexpr bool target = requires { typename I::Target; };
    constexpr bool source = requires { typename I::Source; };
    constexpr bool result = requires { typename I::Result; };
    static_assert(target, "an interaction lacks Target: 'using Target = Fields<Position, ...>;' lists what i brings");
    static_assert(source, "an interaction lacks Source: 'using Source = Fields<Position, ...>;' lists what j brings");
    static_assert(result, "an interaction lacks Result: 'using Result = Fields<...>;' lists what is summed over j");
    static_assert(std::is_trivially_copyable_v<I>,
                  "an interaction is copied byte by byte: its members are plain numbers");
    if constexpr (target && source && result) {
        constexpr bool of_target = begins_with_position<typename I::Target>;
        constexpr bool of_source = begins_with_position<typename I::Source>;
        static_assert(of_target, "Position must be the first field of an interaction's Target: Fields<Position, ...>");
        static_assert(of_source, "Position must be the first field of an interaction's Source: Fields<Position, ...>");
        return of_target && of_source && std::is_trivially_copyable_v<I>;
    } else {
        return false;
    }
}

// Instantiates operator() for a pair of values that have an error for each usual mistake.
template <class I>
constexpr bool check_formula() {
    using Target = Record<typename I::Target, CheckedValue>;
    using Source = Record<typename I::Source, CheckedValue>;
    using Sums = CheckedSums<typename I::Result, typename MaximumOf<I>::type, typename MinimumOf<I>::type>;
    using Copied = Record<typename I::Result, CheckedValue>;
    constexpr bool callable =
        requires(const I& formula, const Target& i, const Source& j, Copied& sum) { formula(i, j, sum); };
    constexpr bool adds =
        requires(const I& formula, const Target& i, const Source& j, Sums& sum) { formula(i, j, sum); };
    static_assert(
        callable,
        "an interaction lacks 'void operator()(const auto& i, const auto& j, auto& sum) const', which adds to "
        "sum what j does to i");
    static_assert(
        adds || !callable,
        "operator() of an interaction adds to a copy of sum, which is lost: write 'auto& sum' for 'auto sum'");
    if constexpr (adds) {
        const auto formula_of_values = [](const I& formula, const Target& i, const Source& j, Sums& sum) {
            formula(i, j, sum);
        };
        static_cast<void>(formula_of_values);
    }
    return adds;
}

template <class I>
constexpr bool check_strength() {
    if constexpr (requires { typename I::Strength; }) {
        constexpr bool listed = is_listed<typename I::Strength, typename I::Source>;
        static_assert(listed, "an interaction's Strength must be a field of its Source");
        return listed;
    } else {
        constexpr bool second = !std::is_same_v<typename I::Source, Fields<Position>>;
        static_assert(second, "an interaction's Source lacks a field after Position, by which far cells act");
        return second;
    }
}

template <class I>
constexpr bool check_softening() {
    if constexpr (Softened<I>) {
        constexpr bool listed = is_listed<typename I::Softening, typename I::Source> &&
                                is_listed<typename I::Softening, typename I::Target>;
        static_assert(listed, "an interaction's Softening must be a field of its Source and of its Target");
        return listed;
    } else {
        return true;
    }
}

// True if tree_force can take the interaction, apart from its formula.
template <class I>
constexpr bool check_interaction() {
    constexpr bool of_all_pairs = !requires { typename I::Search; };
    constexpr bool sums_alone = !requires { typename I::Maximum; } && !requires { typename I::Minimum; };
    constexpr bool evolves_nothing = !requires { typename I::Evolves; };
    static_assert(of_all_pairs,
                  "an interaction with Search is of short range, and tree_force sums all pairs: give it to "
                  "short_range_force, or leave Search out");
    static_assert(sums_alone && evolves_nothing,
                  "Maximum, Minimum and Evolves are for interactions of short range: tree_force knows Result alone");
    if constexpr (of_all_pairs && sums_alone && evolves_nothing && check_fields<I>())
        return check_strength<I>() && check_softening<I>() && check_finish_of_sums<I>() && check_expansion<I>() &&
               check_coupling<I>();
    else
        return false;
}

TRELLIS_ISA_END
}  // namespace trellis
