// Integrals and differential equations of smooth functions, to about 1e-14 of their values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace trellis {

// Points and weights of Gauss-Legendre quadrature of order 16 on (-1, 1): the positive half of points that lie
// symmetrically (Abramowitz & Stegun 1964, table 25.4).
constexpr std::array<double, 8> gauss_points{0.0950125098376374402, 0.281603550779258913, 0.458016777657227386,
                                             0.617876244402643748,  0.755404408355003034, 0.865631202387831744,
                                             0.944575023073232576,  0.989400934991649933};
constexpr std::array<double, 8> gauss_weights{0.189450610455068496,  0.182603415044923589, 0.169156519395002538,
                                              0.149595988816576732,  0.124628971255533872, 0.0951585116824927848,
                                              0.0622535239386478929, 0.0271524594117540949};

// The number of equal parts, none longer than `longest`, that a length is cut into; at least 1.
inline std::size_t parts_of(double length, double longest) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(std::abs(length) / longest)));
}

// The integral of f over one panel, on which f is smooth.
template <class Function>
double panel_integral(const Function& f, double begin, double end) {
    const double middle = 0.5 * (begin + end), half = 0.5 * (end - begin);
    double sum = 0;
    for (std::size_t k = 0; k < gauss_points.size(); ++k)
        sum += gauss_weights[k] * (f(middle - half * gauss_points[k]) + f(middle + half * gauss_points[k]));
    return half * sum;
}

// The integral of f from begin to end, in either order; f is smooth on panels of width at most `panel`.
template <class Function>
double integral(const Function& f, double begin, double end, double panel) {
    const std::size_t count = parts_of(end - begin, panel);
    const double width = (end - begin) / static_cast<double>(count);
    double sum = 0, from = begin;
    for (std::size_t k = 1; k <= count; ++k) {
        const double to = k == count ? end : begin + static_cast<double>(k) * width;
        sum += panel_integral(f, from, to);
        from = to;
    }
    return sum;
}

// One step of dy/dx = f(x, y) by the modified midpoint rule with 2, 4, ..., 16 substeps, extrapolated to infinitely
// many (Gragg 1965; Hairer, Norsett & Wanner 1993, section II.9): order 16.
template <std::size_t size, class Derivative>
std::array<double, size> extrapolated_step(const Derivative& f, double x, const std::array<double, size>& y,
                                           double length) {
    constexpr std::size_t rows = 8;
    using Vector = std::array<double, size>;
    const auto moved = [](const Vector& from, double by, const Vector& rate) {
        Vector to = from;
        for (std::size_t k = 0; k < size; ++k) to[k] += by * rate[k];
        return to;
    };
    std::array<Vector, rows> table;
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t substeps = 2 * (row + 1);
        const double h = length / static_cast<double>(substeps);
        Vector before = y, now = moved(y, h, f(x, y));
        for (std::size_t k = 1; k < substeps; ++k) {
            const Vector next = moved(before, 2 * h, f(x + static_cast<double>(k) * h, now));
            before = now;
            now = next;
        }
        table[row] = now;
        for (std::size_t k = row; k > 0; --k) {  // Aitken and Neville, in h^2
            const double ratio = static_cast<double>(row + 1) / static_cast<double>(k);
            for (std::size_t each = 0; each < size; ++each)
                table[k - 1][each] = table[k][each] + (table[k][each] - table[k - 1][each]) / (ratio * ratio - 1);
        }
    }
    return table[0];
}

}  // namespace trellis
