// Orders the particles of a system so that neighbours stand together. For kernel sources only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "trellis/base/isa.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// A particle, by its position and its number.
struct Placed {
    float x[3];
    std::uint32_t number;
};

// Halves a group of particles along its longest side, and each half again, until one block is left: each has `width`
// particles, but for the last. The particles of a block are in the order of their numbers. The result depends on
// positions and numbers alone, not on the order before.
inline void order_into_blocks(std::span<Placed> group, std::size_t width) {
    if (group.size() <= width) {
        std::ranges::sort(group, {}, &Placed::number);
        return;
    }
    std::size_t longest = 0;
    float length = -1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        float low = group[0].x[axis], high = low;
        for (const Placed& each : group) low = std::min(low, each.x[axis]), high = std::max(high, each.x[axis]);
        if (high - low > length) longest = axis, length = high - low;
    }
    const std::size_t blocks = (group.size() + width - 1) / width, half = blocks / 2 * width;
    const auto before = [=](const Placed& a, const Placed& b) {
        return a.x[longest] != b.x[longest] ? a.x[longest] < b.x[longest] : a.number < b.number;
    };
    std::nth_element(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(half), group.end(), before);
    order_into_blocks(group.first(half), width);
    order_into_blocks(group.subspan(half), width);
}

TRELLIS_ISA_END
}  // namespace trellis
