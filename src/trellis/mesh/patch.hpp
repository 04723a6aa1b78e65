// The part of the mesh around the particles of one rank: they are spread over its nodes, and read the field from them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "trellis/mesh/mesh_grid.hpp"

namespace trellis {

// The nodes over which particles at these positions are spread. Images are not brought together, so that particles on
// either side of a face keep a small box if they have not been wrapped; it is never longer than the mesh.
NodeBox nodes_around(const MeshGrid& grid, int order, std::span<const Vec3<double>> positions);

// The sum of strengths at the nodes of the box, nodes_around the positions. Bits do not depend on the number of
// threads.
template <class T>
std::vector<T> assign(const MeshGrid& grid, int order, const NodeBox& box, std::span<const Vec3<double>> positions,
                      std::span<const double> strengths);

// Potential and its derivatives along x, y, z at a node, or at a place.
template <class T>
using PotentialAndGradient = std::array<T, 4>;

// The field at a place, from the nodes of a box that contains those around it.
template <class T>
PotentialAndGradient<double> interpolate(const MeshGrid& grid, int order, const NodeBox& box,
                                         const std::vector<PotentialAndGradient<T>>& field, const Vec3<double>& place);

}  // namespace trellis
