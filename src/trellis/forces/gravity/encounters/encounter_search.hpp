// The pair of each body that changes fastest.
//
// The square of the rate of a pair is the larger one of w^2 / s^2 and G (m_i + m_j) / s^3, with the softened distance s
// and the relative velocity w; s^2 is r^2 and the widenings of both. For two groups it is a bound that no pair of them
// exceeds, but for rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trellis/base/isa.hpp"
#include "trellis/forces/gravity/encounters/encounter_tree.hpp"
#include "trellis/particles/region.hpp"

namespace trellis {

// Distances are those of nearest images.
struct EncounterSpace {
    explicit EncounterSpace(const Region& region) : periodic(region.periodic()), sides(region.high - region.low) {}

    bool periodic;       // along any axis
    Vec3<double> sides;  // infinite along open axes
};

struct Encounter {
    double squared_rate = 0;
    double decline = 0;  // -d ln(rate) / dt of the two bodies alone: above 0 while they part
};

// Replaces encounters[k] by the fastest one of body begin + k of the tree with any other one, if that is faster.
TRELLIS_DECLARE_VARIANTS(void find_among_others(const EncounterTree& tree, const EncounterSpace& space,
                                                std::size_t begin, std::span<Encounter> encounters))

// Replaces an encounter by that of a body, which is not in the tree, with one that is, if one is faster.
TRELLIS_DECLARE_VARIANTS(void find_among_all(const EncounterTree& tree, const EncounterSpace& space, const Bodies& body,
                                             Encounter& encounter))

// Sets the mark of each body of the tree whose pairs with `others`, which are not in it, may have a squared rate above
// this one.
TRELLIS_DECLARE_VARIANTS(void mark_exceeding(const EncounterTree& tree, const EncounterSpace& space,
                                             const Bodies& others, double squared_rate, std::span<std::uint8_t> marks))

// Replaces the encounter of each body of the tree by the fastest one with any other body, if that is faster.
void find_faster(const EncounterTree& tree, const EncounterSpace& space, std::span<Encounter> encounters);

}  // namespace trellis
