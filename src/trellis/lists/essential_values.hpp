// What travels of an essential tree at every step: where its cells and particles are, and what they weigh.
#pragma once

#include "trellis/lists/cell_moments.hpp"
#include "trellis/lists/domain_summary.hpp"
#include "trellis/lists/grafting.hpp"
#include "trellis/lists/listed_tree.hpp"
#include "trellis/ranks/bytes.hpp"

namespace trellis {

// Spheres of all cells; weights, sums and moments of closed ones; components of the particles.
void write_values(const EssentialTree& tree, const ListedTree& listed, const CellMoments& moments, ByteWriter& out);
void read_values(ByteReader& in, const GraftedTree& tree, Graft& graft);

// How many particles take no more bytes than a closed cell with its weight, sums and moments.
std::uint32_t particles_like_a_closed_cell(const ListedTree& listed, const CellMoments& moments);

// Of a tree that is one closed cell.
void take_values(const DomainSummary& summary, const GraftedTree& tree, Graft& graft);

}  // namespace trellis
