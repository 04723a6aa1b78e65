// The patch of a rank: the nodes over which its particles are spread, and from which they read the field.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "trellis/mesh/mesh_grid.hpp"

namespace trellis {

// The nodes over which particles at these positions are spread. Positions are not wrapped, so that particles on both
// sides of a face have a small box if they were not wrapped either; it is never longer than the mesh.
NodeBox nodes_around(const MeshGrid& grid, int order, std::span<const Vec3<double>> positions);

// The strengths assigned to the nodes of the box, which is nodes_around(positions). Bits do not depend on the number of
// threads.
template <class T>
std::vector<T> assign(const MeshGrid& grid, int order, const NodeBox& box, std::span<const Vec3<double>> positions,
                      std::span<const double> strengths);

// Potential and its derivatives along x, y, z at a node, or at a point.
template <class T>
using PotentialAndGradient = std::array<T, 4>;

// The field at a point; the nodes around it must be in the box.
template <class T>
PotentialAndGradient<double> interpolate(const MeshGrid& grid, int order, const NodeBox& box,
                                         const std::vector<PotentialAndGradient<T>>& field, const Vec3<double>& point);

}  // namespace trellis
