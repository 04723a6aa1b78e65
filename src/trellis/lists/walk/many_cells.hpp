// Errors of many cells that point the same way: the errors allowed to single cells must shrink faster than their sum.
#pragma once

#include <cmath>

#include "trellis/lists/walk/opening.hpp"

namespace trellis {

// The number of cells whose errors add up grows as a power of t, t^(-exponent), when the tolerance t of a cell shrinks.
// Below a share of the force, t is divided by that growth.
struct ManyCells {
    double begins;  // that share; 0: never
    double exponent;

    // The factor of a tolerance that is this share of the force.
    double factor(double share) const {
        return share < begins ? std::pow(share / begins, exponent / (1 - exponent)) : 1;
    }
};

// The highest order of expansions whose errors were fitted.
inline constexpr int highest_fitted_order = 5;

// In a periodic box, of the force of all matter within reach: of superparticles and within a cutoff the exponent is 3 /
// (3 + q), where a cell's error is as the q-th power of its size over its distance. Superparticles' errors add up at
// larger tolerances than those of local expansions. All images were fitted by order, the worst of lattices that are
// displaced by one wave, where most errors point the same way (bench/notes/periodic.md).
inline ManyCells many_cells_in_box(const Opening& opening) {
    constexpr ManyCells all_images[highest_fitted_order - 1] = {
        {0.1, 0.5}, {4e-3, 0.45}, {6e-4, 0.43}, {1e-4, 0.3}};  // from order 2 on
    if (opening.receiver == Receiver::particle) return {2e-3, 3.0 / (4 + opening.order)};
    return opening.ends() ? ManyCells{6.5e-6, 3.0 / 8} : all_images[opening.order - 2];
}

// In open space, of a particle's acceleration, by the order of expansions: the worst of a cold uniform sphere, where
// forces cancel most, a Plummer sphere and, for local expansions, lattices, sheets, discs and filaments, where errors
// point the same way (bench/notes/walk.md).
inline ManyCells many_cells_in_open_space(const Opening& opening) {
    constexpr ManyCells superparticles[] = {{9e-3, 0.45}, {2.5e-5, 0.29}};  // from order 1 on
    constexpr ManyCells local_expansions[highest_fitted_order - 1] = {
        {0.2, 0.47}, {0.15, 0.36}, {4e-3, 0.32}, {1e-3, 0.27}};  // from 2 on
    return opening.receiver == Receiver::particle ? superparticles[opening.order - 1]
                                                  : local_expansions[opening.order - 2];
}

// In open space, the share of the last acceleration that each cell is allowed as an error, for the accuracy of their
// sum; any_error stays.
inline double share_in_open_space(const Opening& opening, double accuracy) {
    return accuracy * many_cells_in_open_space(opening).factor(accuracy);
}

}  // namespace trellis
