#include "trellis/forces/tree/periodic/potential_lattice.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/tree/periodic/chebyshev.hpp"

namespace trellis {

namespace {

// A sum ends where all further shells change it by less than this share of the potential half a period away, and is
// refused where they may change it by more than `refused` of the accuracy.
constexpr double negligible = 1e-8, refused = 0.1;

// The shifts of the images that are `shell` periods away along one axis at least, and no more along any.
std::vector<Vec3<double>> shifts_of_shell(int shell, double side, const std::array<bool, 3>& periodic) {
    std::vector<Vec3<double>> shifts;
    const auto last = [&](std::size_t axis) { return periodic[axis] ? shell : 0; };
    for (int x = -last(0); x <= last(0); ++x)
        for (int y = -last(1); y <= last(1); ++y)
            for (int z = -last(2); z <= last(2); ++z)
                if (std::max({std::abs(x), std::abs(y), std::abs(z)}) == shell)
                    shifts.push_back(side * Vec3<double>{1.0 * x, 1.0 * y, 1.0 * z});
    return shifts;
}

// The size of the potential about half a period away, by its slope: a constant adds no force.
double size_of(const PotentialLattice::Potential& potential, double side) {
    double size = 0;
    for (const double r : {side / 2, side / 3}) size = std::max(size, std::abs(potential(r * r)[1]) * r * r);
    return size;
}

// T_0, T_2, ... at a point, and their slopes: T_2a(x) = T_a(T_2(x)).
template <std::size_t Count>
struct EvenPolynomials {
    std::array<double, Count> value{1}, slope{0};

    explicit EvenPolynomials(double x) {
        const double y = 2 * x * x - 1, dy = 4 * x;
        value[1] = y;
        slope[1] = dy;
        for (std::size_t a = 2; a < Count; ++a) {
            value[a] = 2 * y * value[a - 1] - value[a - 2];
            slope[a] = 2 * (dy * value[a - 1] + y * slope[a - 1]) - slope[a - 2];
        }
    }
};

[[noreturn]] void refuse(double side) {
    throw InputError("the potential falls off too slowly for a sum over the images of a box of period " +
                     to_text(side) +
                     ": allowed are one that falls off faster than 1/r^3, a cutoff, and for 1/r "
                     "Gravity and Coulomb");
}

}  // namespace

PotentialLattice::PotentialLattice(const Potential& potential, double side, const std::array<bool, 3>& periodic,
                                   double accuracy)
    : side_(side), periodic_(periodic) {
    std::vector<double> values(along * along * along), of_shell(values.size());
    const double size = size_of(potential, side);
    const auto at = [&](std::size_t k) { return reach() * chebyshev_point(k, 2 * along); };  // above 0 for k < along
    for (int shell = 2;; ++shell) {
        const std::vector<Vec3<double>> shifts = shifts_of_shell(shell, side, periodic);
        parallel_tasks(along * along, [&](std::size_t ab, int) {
            for (std::size_t c = 0; c < along; ++c) {
                const Vec3<double> place{at(ab / along), at(ab % along), at(c)};
                double sum = 0;
                for (const Vec3<double>& shift : shifts) sum += potential(dot(place + shift, place + shift))[0];
                of_shell[ab * along + c] = sum;
            }
        });
        double largest = 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
            values[k] += of_shell[k];
            largest = std::max(largest, std::abs(of_shell[k]));
        }
        if (shell * largest <= negligible * size) break;
        if (shell < most_shells) continue;
        if (!(shell * largest <= refused * accuracy * size)) refuse(side);
        break;
    }
    take_coefficients(values);
}

void PotentialLattice::take_coefficients(const std::vector<double>& values) {
    std::array<std::array<double, along>, along> weight;  // of the value at point k in coefficient a
    for (std::size_t k = 0; k < along; ++k) {
        const EvenPolynomials<along> even(chebyshev_point(k, 2 * along));
        for (std::size_t a = 0; a < along; ++a) weight[a][k] = (a == 0 ? 1.0 : 2.0) / along * even.value[a];
    }
    coefficients_ = values;
    std::array<double, along> line;
    for (const std::size_t stride : {std::size_t{1}, along, along * along})
        for (std::size_t first = 0; first < values.size(); ++first) {
            if (first / stride % along != 0) continue;
            for (std::size_t k = 0; k < along; ++k) line[k] = coefficients_[first + k * stride];
            for (std::size_t a = 0; a < along; ++a) {
                double& coefficient = coefficients_[first + a * stride] = 0;
                for (std::size_t k = 0; k < along; ++k) coefficient += weight[a][k] * line[k];
            }
        }
}

PotentialLattice::Value PotentialLattice::at(const Vec3<double>& displacement) const {
    const double per_reach = 1 / reach();
    const Vec3<double> place = per_reach * displacement;
    const EvenPolynomials<along> x(place.x), y(place.y), z(place.z);
    Value all{0, {0, 0, 0}};
    const double* next = coefficients_.data();
    for (std::size_t a = 0; a < along; ++a)
        for (std::size_t b = 0; b < along; ++b) {
            double sum = 0, slope = 0;
            for (std::size_t c = 0; c < along; ++c, ++next) {
                sum += *next * z.value[c];
                slope += *next * z.slope[c];
            }
            all.value += x.value[a] * y.value[b] * sum;
            all.gradient.x += x.slope[a] * y.value[b] * sum;
            all.gradient.y += x.value[a] * y.slope[b] * sum;
            all.gradient.z += x.value[a] * y.value[b] * slope;
        }
    all.gradient = per_reach * all.gradient;
    return all;
}

}  // namespace trellis
