// Everything a program with its own interaction needs.
#pragma once

#include <utility>

#include "trellis/devices/open.hpp"
#include "trellis/forces/gravity_force.hpp"
#include "trellis/forces/make_kernels.hpp"
#include "trellis/forces/make_neighbour_kernels.hpp"
#include "trellis/forces/short_range_force.hpp"
#include "trellis/run/diagnostics.hpp"
#include "trellis/run/simulation.hpp"

namespace trellis {

// The tree force of an interaction of your own, compiled for the instruction set of the including source. device: see TreeForce.
template <Interaction I>
std::unique_ptr<TreeForce> tree_force(const I& interaction, const ForceSettings& settings = {},
                                      std::shared_ptr<Device> device = nullptr) {
    return tree_force_with(make_kernels<I>(), interaction, settings, std::move(device));
}

// The force of a short-range interaction of your own, compiled for the instruction set of the including source.
template <ShortRange I>
std::unique_ptr<ShortRangeForce> short_range_force(const I& interaction, const ShortRangeSettings& settings = {}) {
    return short_range_force_with(make_neighbour_kernels<I>(), interaction, settings);
}

}  // namespace trellis
