// The range of an interaction of systems. For kernel sources only.
#pragma once

#include <limits>

#include "trellis/base/isa.hpp"
#include "trellis/base/vec.hpp"
#include "trellis/forces/short_range.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The distance beyond which particles do not interact; infinite if they do at any distance.
template <class I>
TRELLIS_HOST_DEVICE double range_of(const I& interaction) {
    if constexpr (ShortRange<I>)
        return interaction.cutoff;
    else
        return std::numeric_limits<double>::infinity();
}

template <class I>
TRELLIS_HOST_DEVICE bool has_cutoff(const I& interaction) {
    return range_of(interaction) < std::numeric_limits<double>::infinity();
}

TRELLIS_ISA_END
}  // namespace trellis
