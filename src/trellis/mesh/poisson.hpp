// Poisson's equation on the mesh, for the long-range part of 1/r.
#pragma once

#include <complex>
#include <vector>

#include "trellis/mesh/mesh_grid.hpp"
#include "trellis/mesh/split.hpp"

namespace trellis {

// Green's function of each coefficient in a box of the spectrum: 4 pi / k^2 times the split's filter, over the square
// of the transform of the assignment (once for the density, once for the field), over the volume of the box, so that
// after a transform there and back the strengths at the nodes become the potential sum s L(r). The mean potential is
// that of a uniform background which makes the sum of strengths 0.
template <class T>
std::vector<T> green_function(const MeshGrid& grid, const S2Split& split, int order, const NodeBox& spectrum);

// Multiplies each coefficient by Green's function.
template <class T>
void solve_poisson(const std::vector<T>& green, std::vector<std::complex<T>>& coefficients);

// The coefficients of the derivative along an axis: i k times the given ones, and 0 at the highest k, whose sign a mesh
// does not determine.
template <class T>
std::vector<std::complex<T>> derivative(const MeshGrid& grid, std::size_t axis, const NodeBox& spectrum,
                                        const std::vector<std::complex<T>>& coefficients);

}  // namespace trellis
