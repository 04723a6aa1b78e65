// Softening lengths e of particles: i and j interact as if r^2 were r^2 + (e_i^2 + e_j^2) / 2 (after Saitoh & Makino
// 2012), which is symmetric, and r^2 + e^2 for equal lengths.
#pragma once

#include <algorithm>
#include <cmath>

#include "trellis/tree/cell.hpp"

namespace trellis {

// The part of one particle, e^2 / 2, in the widening of r^2.
template <class V>
TRELLIS_INLINE V widening_of(const V& softening) {
    return 0.5f * (softening * softening);
}

// The softenings of the particles of a cell.
struct CellSoftening {
    double mean = 0;  // root mean square by weight: a cell that acts as a whole has this softening
    double smallest = 0, largest = 0;

    // The difference between the largest and the smallest widening.
    TRELLIS_HOST_DEVICE double variation() const { return widening_of(largest) - widening_of(smallest); }

    friend bool operator==(const CellSoftening&, const CellSoftening&) = default;
};

// The softenings of two cells together, whose weights are w and v.
TRELLIS_HOST_DEVICE inline CellSoftening join(const CellSoftening& a, double w, const CellSoftening& b, double v) {
    const double share = w + v > 0 ? v / (w + v) : 0.5;
    const double smallest = std::min(a.smallest, b.smallest), largest = std::max(a.largest, b.largest);
    const double mean = std::sqrt(a.mean * a.mean + share * (b.mean * b.mean - a.mean * a.mean));
    return {std::clamp(mean, smallest, largest), smallest, largest};  // equal softenings are not rounded
}

// The softenings of the particles of a leaf. softening(slot), weight(slot): of a particle.
template <class Softening, class Weight>
TRELLIS_HOST_DEVICE CellSoftening softening_of_leaf(const Cell& cell, const Softening& softening,
                                                    const Weight& weight) {
    const auto one = [&](std::uint32_t slot) {
        return CellSoftening{softening(slot), softening(slot), softening(slot)};
    };
    CellSoftening all = one(cell.first);
    double total = std::abs(weight(cell.first));
    for (std::uint32_t s = cell.first + 1; s < cell.end(); ++s) {
        const double w = std::abs(weight(s));
        all = join(all, total, one(s), w);
        total += w;
    }
    return all;
}

}  // namespace trellis
