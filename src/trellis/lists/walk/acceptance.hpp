// Batches of cells for the test whether a cell may act as a whole. For kernel sources only.
#pragma once

#include "trellis/base/batch.hpp"
#include "trellis/lists/walk/walk_kernel.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

using Reals = Batch<double>;
using Mask = Reals::Mask;

// One cell in each lane: eight, four or two cells.
struct Cells {
    Vec3<Reals> centre;
    Reals size, weight, kind, variation;
};

[[gnu::always_inline]] inline Cells side_by_side(const Candidate* cells, const std::uint32_t (&index)[Reals::size()]) {
    Reals columns[8];
    for (std::size_t part = 0; part < 8; part += Reals::size()) {
        Vector<double> rows[Reals::size()];
        for (std::size_t lane = 0; lane < Reals::size(); ++lane)
            rows[lane] = load(reinterpret_cast<const double*>(cells + index[lane]) + part);
        transpose<double>(rows);
        for (std::size_t k = 0; k < Reals::size(); ++k) columns[part + k] = rows[k];
    }
    return {{columns[0], columns[1], columns[2]}, columns[3], columns[4], columns[5], columns[6]};
}

// Squared distances of the cells' centres to the nearest point and to the farthest corner of a box.
struct BoxDistance {
    [[gnu::always_inline]] BoxDistance(const Vec3<Reals>& centre, const Bounds& bounds) {
        const auto add_axis = [&](const Reals& at, double low, double high) {
            const Reals below = low - at, above = at - high;
            const Reals outside = max(max(below, above), 0.0);
            const Reals across = max(-below, -above);
            nearest2 += outside * outside;
            farthest2 += across * across;
        };
        add_axis(centre.x, bounds.low.x, bounds.high.x);
        add_axis(centre.y, bounds.low.y, bounds.high.y);
        add_axis(centre.z, bounds.low.z, bounds.high.z);
    }
    Reals nearest2 = 0.0, farthest2 = 0.0;
};

TRELLIS_ISA_END
}  // namespace trellis
