// The values of an essential tree, each kind in its own array, as the compression needs them.
#pragma once

#include <vector>

#include "trellis/lists/essential/imported_trees.hpp"
#include "trellis/lists/walk/cell_moments.hpp"
#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

struct TreeValues {
    std::vector<Sphere> spheres;                  // one a cell
    std::vector<double> weights;                  // one a closed cell
    std::vector<std::vector<double>> sums;        // of each component after the position's: one a closed cell
    std::vector<std::vector<double>> moments;     // of each term: one a closed cell
    bool single;                                  // moments are in single precision
    std::vector<CellSoftening> softenings;        // one a closed cell; none if no component is a softening
    std::vector<std::vector<double>> components;  // of each: one a particle
};

// Places are those of the tree's image.
TreeValues values_of(const EssentialTree& tree, const ListedTree& listed, const CellMoments& moments);

// room_for makes room for the values of an imported tree; put_values writes them into it.
TreeValues room_for(const ImportedTree& tree, const ImportedCells& imported, const CellMoments& moments);
void put_values(const TreeValues& values, const ImportedTree& tree, ImportedCells& imported);

}  // namespace trellis
