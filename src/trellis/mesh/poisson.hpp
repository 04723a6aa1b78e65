// Poisson's equation on the mesh, of which the long-range part alone is solved.
#pragma once

#include <complex>
#include <vector>

#include "trellis/mesh/mesh_grid.hpp"
#include "trellis/mesh/split.hpp"

namespace trellis {

// Green's function of each coefficient in a box of the spectrum: 4 pi / k^2 times the split's filter, over the square
// of the transform of the assignment of this order (particles are spread by it, and the field is read by it), over the
// number of cells times the volume of one, so that after a transform there and back sums of strengths at the nodes
// become the potential sum s L(r). The mean potential is that of a uniform background which makes the sum of strengths
// 0.
template <class T>
std::vector<T> green_function(const MeshGrid& grid, const S2Split& split, int order, const NodeBox& spectrum);

// Multiplies each coefficient by Green's function.
template <class T>
void solve_poisson(const std::vector<T>& green, std::vector<std::complex<T>>& coefficients);

// The coefficients of the derivative along an axis of what has those of the box: times i k, and 0 at the highest k, of
// which a mesh does not tell the sign.
template <class T>
std::vector<std::complex<T>> derivative(const MeshGrid& grid, std::size_t axis, const NodeBox& spectrum,
                                        const std::vector<std::complex<T>>& coefficients);

}  // namespace trellis
