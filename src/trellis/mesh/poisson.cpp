#include "trellis/mesh/poisson.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "trellis/base/parallel.hpp"
#include "trellis/mesh/waves.hpp"

namespace trellis {

namespace {

using Tensor = std::array<Vec3<double>, 3>;

bool is_highest(const MeshGrid& grid, std::size_t axis, const Nodes& index) {
    return 2 * index[axis] == grid.cells()[axis];
}

}  // namespace

template <class T>
std::vector<T> green_function(const MeshGrid& grid, const S2Split& split, int order, const NodeBox& spectrum) {
    const Waves waves(grid, order);
    std::vector<T> green(spectrum.size());
    const double pi_4 = 4 * std::numbers::pi, volume = grid.volume();
    for_coefficients(spectrum, [&](std::size_t at, const Nodes& index) {
        const auto [k, k2, window] = waves(index);
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
        const T k = is_highest(grid, axis, index) ? T(0) : static_cast<T>(grid.wavenumber(axis, index[axis]));
        result[at] = {-k * coefficients[at].imag(), k * coefficients[at].real()};
    });
    return result;
}

template <class T>
Tensor virial_of_waves(const MeshGrid& grid, const S2Split& split, int order, const NodeBox& spectrum,
                       const std::vector<std::complex<T>>& density) {
    const Waves waves(grid, order);
    std::vector<Tensor> of_planes(static_cast<std::size_t>(spectrum.count[0]));
    for_coefficients(spectrum, [&](std::size_t at, const Nodes& index) {
        const auto [k, k2, window] = waves(index);
        double even = -split.second_moment(), along = 0;  // the factors of delta_ab and of k_a k_b
        if (k2 > 0) {
            const double filter = split.filter(std::sqrt(k2)), slope = split.filter_slope(std::sqrt(k2));
            even = filter / k2;
            along = (slope - 2 * filter) / (k2 * k2);
        }
        const bool alone = index[2] == 0 || is_highest(grid, 2, index);  // else -k, too, which is not in the spectrum
        const double size = static_cast<double>(std::norm(density[at])) / (window * window) * (alone ? 1 : 2);
        Tensor& sum = of_planes[static_cast<std::size_t>(index[0] - spectrum.first[0])];
        for (std::size_t a = 0; a < 3; ++a) {
            sum[a][a] += size * (even + along * k[a] * k[a]);
            for (std::size_t b = 0; b < a; ++b)
                if (!is_highest(grid, a, index) && !is_highest(grid, b, index)) sum[a][b] += size * along * k[a] * k[b];
        }
    });
    Tensor total{};
    const double scale = 2 * std::numbers::pi / grid.volume();
    for (const Tensor& plane : of_planes)
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) total[a][b] += scale * plane[std::max(a, b)][std::min(a, b)];
    return total;
}

template std::vector<float> green_function(const MeshGrid&, const S2Split&, int, const NodeBox&);
template std::vector<double> green_function(const MeshGrid&, const S2Split&, int, const NodeBox&);
template void solve_poisson(const std::vector<float>&, std::vector<std::complex<float>>&);
template void solve_poisson(const std::vector<double>&, std::vector<std::complex<double>>&);
template std::vector<std::complex<float>> derivative(const MeshGrid&, std::size_t, const NodeBox&,
                                                     const std::vector<std::complex<float>>&);
template std::vector<std::complex<double>> derivative(const MeshGrid&, std::size_t, const NodeBox&,
                                                      const std::vector<std::complex<double>>&);
template Tensor virial_of_waves(const MeshGrid&, const S2Split&, int, const NodeBox&,
                                const std::vector<std::complex<float>>&);
template Tensor virial_of_waves(const MeshGrid&, const S2Split&, int, const NodeBox&,
                                const std::vector<std::complex<double>>&);

}  // namespace trellis
