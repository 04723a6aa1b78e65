// Errors of many cells that point the same way: the errors allowed to single cells must shrink faster than their sum.
#pragma once

#include <cmath>

#include "trellis/lists/walk/opening.hpp"

namespace trellis {

// In a periodic box the number of cells whose errors add up grows as t^(-3/(3+q)) when the tolerance t of a cell
// shrinks, where its error is as the q-th power of its size over its distance. Below a share of the force of all matter
// within reach, t is divided by that growth. Superparticles' errors add up at larger tolerances than those of local
// expansions; those of the first order do so in open space, too, below an accuracy (bench/notes/periodic.md).
struct ManyCells {
    double in_box, in_open_space, exponent;

    // The factor of a tolerance that is this share of the one below which errors of many cells add up.
    double factor(double share) const { return share < 1 ? std::pow(share, exponent / (1 - exponent)) : 1; }

    // In open space, the share of the last acceleration that each cell is allowed as an error, for the accuracy of
    // their sum; any_error stays.
    double share_in_open_space(double accuracy) const {
        return in_open_space > 0 ? accuracy * factor(accuracy / in_open_space) : accuracy;
    }
};

inline ManyCells many_cells(const Opening& opening) {
    if (opening.receiver == Receiver::cell) return {6.5e-6, 0, 3.0 / 8};
    return {2e-3, opening.order == 1 ? 7e-4 : 0, 3.0 / (4 + opening.order)};
}

}  // namespace trellis
