#include "trellis/mesh/poisson.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "trellis/base/parallel.hpp"
#include "trellis/mesh/assignment.hpp"

namespace trellis {

namespace {

// Calls visit(index in memory, indices along x, y, z) for each coefficient of the box; planes of x in parallel.
template <class Visit>
void for_coefficients(const NodeBox& box, const Visit& visit) {
    parallel_tasks(static_cast<std::size_t>(box.count[0]), [&](std::size_t plane, int) {
        const int x = static_cast<int>(plane);
        for (int y = 0; y < box.count[1]; ++y)
            for (int z = 0; z < box.count[2]; ++z)
                visit(box.at(x, y, z), Nodes{box.first[0] + x, box.first[1] + y, box.first[2] + z});
    });
}

}  // namespace

template <class T>
std::vector<T> green_function(const MeshGrid& grid, const S2Split& split, int order, const NodeBox& spectrum) {
    std::array<std::vector<double>, 3> wavenumber, spread;
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (int index = 0; index < grid.cells()[axis]; ++index) {
            wavenumber[axis].push_back(grid.wavenumber(axis, index));
            spread[axis].push_back(assignment_transform(order, wavenumber[axis].back() * grid.spacing()[axis]));
        }
    std::vector<T> green(spectrum.size());
    const double pi_4 = 4 * std::numbers::pi, volume = grid.volume();
    for_coefficients(spectrum, [&](std::size_t at, const Nodes& index) {
        double k2 = 0, window = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto i = static_cast<std::size_t>(index[axis]);
            k2 += wavenumber[axis][i] * wavenumber[axis][i];
            window *= spread[axis][i];
        }
        const double value = k2 == 0 ? -split.second_moment() : split.filter(std::sqrt(k2)) / (k2 * window * window);
        green[at] = static_cast<T>(pi_4 * value / volume);
    });
    return green;
}

template <class T>
void solve_poisson(const std::vector<T>& green, std::vector<std::complex<T>>& coefficients) {
    parallel_for(coefficients.size(), [&](std::size_t k) { coefficients[k] *= green[k]; });
}

template <class T>
std::vector<std::complex<T>> derivative(const MeshGrid& grid, std::size_t axis, const NodeBox& spectrum,
                                        const std::vector<std::complex<T>>& coefficients) {
    std::vector<std::complex<T>> result(coefficients.size());
    for_coefficients(spectrum, [&](std::size_t at, const Nodes& index) {
        const bool highest = 2 * index[axis] == grid.cells()[axis];
        const T k = highest ? T(0) : static_cast<T>(grid.wavenumber(axis, index[axis]));
        result[at] = {-k * coefficients[at].imag(), k * coefficients[at].real()};
    });
    return result;
}

template std::vector<float> green_function(const MeshGrid&, const S2Split&, int, const NodeBox&);
template std::vector<double> green_function(const MeshGrid&, const S2Split&, int, const NodeBox&);
template void solve_poisson(const std::vector<float>&, std::vector<std::complex<float>>&);
template void solve_poisson(const std::vector<double>&, std::vector<std::complex<double>>&);
template std::vector<std::complex<float>> derivative(const MeshGrid&, std::size_t, const NodeBox&,
                                                     const std::vector<std::complex<float>>&);
template std::vector<std::complex<double>> derivative(const MeshGrid&, std::size_t, const NodeBox&,
                                                      const std::vector<std::complex<double>>&);

}  // namespace trellis
