// Poisson's equation on the mesh, for the long-range part of 1/r.
#pragma once

#include <array>
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

// Row a, component b: -dU / d(strain ab) of the energy U, half the sum over coefficients of |density|^2 times Green's
// function: positions and the box are strained, the split is not. The nodes move with the particles, so that the
// assignment stays as it is (Essmann et al. 1995), and Green's function G changes by 1 / volume and by filter(k) / k^2
// alone: -dG / d(strain ab) = G (delta_ab + k_a k_b / k^2 (d ln filter / d ln k - 2)).
// density: the coefficients of a box of the spectrum, those that the spectrum leaves out counted with it. Off the
// diagonal, a wave that is the highest along a or b adds nothing: its sign is not determined.
template <class T>
std::array<Vec3<double>, 3> virial_of_waves(const MeshGrid& grid, const S2Split& split, int order,
                                            const NodeBox& spectrum, const std::vector<std::complex<T>>& density);

}  // namespace trellis
