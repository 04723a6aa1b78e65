// Multi-indices: powers of x, y and z, in the sequence of expansions: 1; x y z; xx xy xz yy yz zz; ...
#pragma once

#include "trellis/base/isa.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The highest order of expansions.
inline constexpr int highest_order = 5;

// Number of multi-indices up to an order.
constexpr int terms(int order) { return (order + 1) * (order + 2) * (order + 3) / 6; }

struct Power {
    int x, y, z;
    constexpr int order() const { return x + y + z; }
    constexpr Power operator+(const Power& o) const { return {x + o.x, y + o.y, z + o.z}; }
    constexpr Power operator-(const Power& o) const { return {x - o.x, y - o.y, z - o.z}; }
    constexpr bool within(const Power& o) const { return x <= o.x && y <= o.y && z <= o.z; }
};

// The index of a multi-index in the sequence.
constexpr int term_of(const Power& p) {
    const int rest = p.y + p.z;
    return terms(p.order() - 1) + rest * (rest + 1) / 2 + p.z;
}

constexpr Power power_of(int term) {
    int order = 0;
    while (terms(order) <= term) ++order;
    int place = term - terms(order - 1), rest = 0;
    while ((rest + 1) * (rest + 2) / 2 <= place) ++rest;
    place -= rest * (rest + 1) / 2;
    return {order - rest, rest - place, place};
}

// The first axis on which p has a power: the step down from p.
constexpr Power first_axis(const Power& p) {
    return p.x > 0 ? Power{1, 0, 0} : p.y > 0 ? Power{0, 1, 0} : Power{0, 0, 1};
}
constexpr int along(const Power& p, const Power& axis) { return axis.x ? p.x : axis.y ? p.y : p.z; }

TRELLIS_ISA_END
}  // namespace trellis
