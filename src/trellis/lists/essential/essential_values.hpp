// The values of an essential tree that are sent at every step: positions and weights of its cells and particles.
#pragma once

#include "trellis/lists/essential/domain_summary.hpp"
#include "trellis/lists/essential/imported_trees.hpp"
#include "trellis/lists/walk/cell_moments.hpp"
#include "trellis/lists/walk/listed_tree.hpp"
#include "trellis/packing/bytes.hpp"

namespace trellis {

// Writes and reads the spheres of all cells, weights, sums, moments and softenings of closed cells, and components of
// particles. Positions are those of the tree's image.
void write_values(const EssentialTree& tree, const ListedTree& listed, const CellMoments& moments, ByteWriter& out);
void read_values(ByteReader& in, const ImportedTree& tree, ImportedCells& imported);

// The largest number of particles that take no more bytes than a closed cell with its weight, sums and moments.
std::uint32_t particles_like_a_closed_cell(const ListedTree& listed, const CellMoments& moments);

// Sets the values of a tree that is one closed cell.
void take_values(const DomainSummary& summary, const ImportedTree& tree, ImportedCells& imported);

}  // namespace trellis
