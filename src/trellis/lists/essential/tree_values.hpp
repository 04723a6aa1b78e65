// The values of an essential tree as arrays of one kind each, for compression.
#pragma once

#include <vector>

#include "trellis/lists/essential/imported_trees.hpp"
#include "trellis/lists/walk/cell_moments.hpp"
#include "trellis/lists/walk/listed_tree.hpp"

namespace trellis {

struct TreeValues {
    std::vector<Sphere> spheres;                  // of each cell
    std::vector<double> weights;                  // of each closed cell
    std::vector<std::vector<double>> sums;        // [component after the position][closed cell]
    std::vector<std::vector<double>> moments;     // [term][closed cell]
    bool single;                                  // moments are in single precision
    std::vector<CellSoftening> softenings;        // of each closed cell; empty if no component is a softening
    std::vector<std::vector<double>> components;  // [component][particle]
};

// The values to send; positions are those of the tree's image.
TreeValues values_of(const EssentialTree& tree, const ListedTree& listed, const CellMoments& moments);

// room_for makes arrays for the values of an imported tree; put_values copies them to the imported cells.
TreeValues room_for(const ImportedTree& tree, const ImportedCells& imported, const CellMoments& moments);
void put_values(const TreeValues& values, const ImportedTree& tree, ImportedCells& imported);

}  // namespace trellis
