// The values of an essential tree, each kind for itself: for those who change them on the way.
#pragma once

#include <vector>

#include "trellis/lists/cell_moments.hpp"
#include "trellis/lists/grafting.hpp"
#include "trellis/lists/listed_tree.hpp"

namespace trellis {

struct TreeValues {
    std::vector<Sphere> spheres;                  // one a cell
    std::vector<double> weights;                  // one a closed cell
    std::vector<std::vector<double>> sums;        // of each component after the position's: one a closed cell
    std::vector<std::vector<double>> moments;     // of each term: one a closed cell
    bool single;                                  // moments are in single precision
    std::vector<std::vector<double>> components;  // of each: one a particle
};

TreeValues values_of(const EssentialTree& tree, const ListedTree& listed, const CellMoments& moments);

// Room for those of a grafted tree, and their way to it.
TreeValues room_for(const GraftedTree& tree, const Graft& graft, const CellMoments& moments);
void put_values(const TreeValues& values, const GraftedTree& tree, Graft& graft);

}  // namespace trellis
