// For programs with an interaction of their own: compiles it for the instruction set of the including source.
#pragma once

#include <memory>
#include <utility>

// Three headers first, each by itself, since the compiler prints the chain of includes with an error.
#include "trellis/forces/user_checks/formula_values.hpp"

#include "trellis/forces/user_checks/formula_sums.hpp"

#include "trellis/forces/user_checks/interaction_check.hpp"

#include "trellis/forces/external/compiled_field.hpp"
#include "trellis/forces/external/external_force.hpp"
#include "trellis/forces/interaction.hpp"
#include "trellis/forces/short_range/kernels/make_neighbour_kernels.hpp"
#include "trellis/forces/short_range/short_range_force.hpp"
#include "trellis/forces/tree/kernels/make_kernels.hpp"
#include "trellis/forces/tree/tree_force.hpp"
#include "trellis/forces/user_checks/short_range_check.hpp"

namespace trellis {

// The tree force of an interaction of your own (forces/interaction.hpp). devices: see TreeForce.
template <class I>
std::unique_ptr<TreeForce> tree_force(const I& interaction, const ForceSettings& settings = {}, Devices devices = {}) {
    if constexpr (!check_interaction<I>())
        return nullptr;
    else if constexpr (!check_formula<I>())
        return nullptr;
    else
        return tree_force_with(make_kernels<I>(), interaction, settings, std::move(devices));
}

// The force of a short-range interaction of your own (forces/short_range.hpp).
template <class I>
std::unique_ptr<ShortRangeForce> short_range_force(const I& interaction, const ShortRangeSettings& settings = {}) {
    if constexpr (!check_short_range<I>())
        return nullptr;
    else if constexpr (!check_formula<I>())
        return nullptr;
    else
        return short_range_force_with(make_neighbour_kernels<I>(), interaction, settings);
}

// The force of a field that acts on each particle alone, one of your own (forces/external/one_body.hpp) or a built-in
// one.
template <class F>
std::unique_ptr<ExternalForce> external_force(const F& formula) {
    if constexpr (!check_one_body<F>())
        return nullptr;
    else
        return std::make_unique<ExternalForce>(external_field(formula));
}

}  // namespace trellis
