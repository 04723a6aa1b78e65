// Checks of a one-body force, each with an error in one sentence: see interaction_check.hpp.
#pragma once

#include <type_traits>

#include "trellis/forces/external/one_body.hpp"
#include "trellis/forces/user_checks/interaction_check.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// True if external_force can take the formula.
template <class F>
constexpr bool check_one_body() {
    constexpr bool target = requires { typename F::Target; };
    constexpr bool result = requires { typename F::Result; };
    static_assert(target, "a one-body force lacks Target: 'using Target = Fields<Position, ...>;' lists what i brings");
    static_assert(result, "a one-body force lacks Result: 'using Result = Fields<...>;' lists what the field gives");
    static_assert(std::is_trivially_copyable_v<F>,
                  "a one-body force is copied byte by byte: its members are plain numbers");
    if constexpr (target && result) {
        using Target = Record<typename F::Target, double>;
        using Copied = Record<typename F::Result, double>;
        using Sums = KeptRecord<typename F::Result, double>;
        constexpr bool placed = begins_with_position<typename F::Target>;
        static_assert(placed, "Position must be the first field of a one-body force's Target: Fields<Position, ...>");
        constexpr bool callable = requires(const F& formula, const Target& i, Copied& sum) { formula(i, sum); };
        constexpr bool adds = requires(const F& formula, const Target& i, Sums& sum) { formula(i, sum); };
        static_assert(callable,
                      "a one-body force lacks 'void operator()(const auto& i, auto& sum) const', which adds to sum "
                      "what the field does to i");
        static_assert(
            adds || !callable,
            "operator() of a one-body force adds to a copy of sum, which is lost: write 'auto& sum' for 'auto "
            "sum'");
        constexpr bool timed = !has_at<F> || ChangesWithTime<F>;
        static_assert(timed, "at of a one-body force F is 'F at(double time) const'");
        constexpr bool checked = !has_check<F> || requires(const F& formula) { formula.check(); };
        static_assert(checked, "check of a one-body force is 'void check() const'");
        return placed && adds && timed && checked && std::is_trivially_copyable_v<F>;
    } else {
        return false;
    }
}

TRELLIS_ISA_END
}  // namespace trellis
