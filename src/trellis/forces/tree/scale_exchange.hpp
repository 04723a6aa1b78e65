// The scale of the particles of all ranks, on which the precision of a force depends.
#pragma once

#include <memory>
#include <span>

#include "trellis/lists/walk/listed_tree.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"
#include "trellis/ranks/comm/comm.hpp"

namespace trellis {

// What a rank knows of it.
struct PartOfScale {
    Extent extent;
    double weight = 0;
    bool any = false;                // whether it has particles
    double squares = 0, errors = 0;  // sum of the squares of errors that particles can bear, and their number
};

PartOfScale join_parts(const PartOfScale& a, const PartOfScale& b);

// The scale of a tree just built. tolerance: the errors that its particles can bear, if they are part of it.
PartOfScale part_of_scale(const ListedTree& listed, std::span<const double> tolerance);

// None: there are no particles.
Scale scale_of(const PartOfScale& all);

// On several sites it travels while other messages do.
using ScaleExchange = AsyncReduction<PartOfScale, decltype(&join_parts)>;

}  // namespace trellis
