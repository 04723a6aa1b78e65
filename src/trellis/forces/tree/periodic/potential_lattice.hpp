// The sum of a central potential over the images of a periodic cube beyond the nearest, and its gradient.
//
// The sum is smooth and even along each axis. It is computed shell by shell at Chebyshev points, until a shell no
// longer matters, and is a polynomial between them.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "trellis/base/vec.hpp"
#include "trellis/forces/tree/periodic/periodic_cube.hpp"

namespace trellis {

class PotentialLattice {
  public:
    // The potential f(r) of a source of strength 1 and (1/r) df/dr, at a squared distance.
    using Potential = std::function<std::array<double, 2>(double r2)>;

    // Throws InputError if the images beyond most_shells periods matter for forces of this accuracy.
    PotentialLattice(const Potential& potential, double side, const std::array<bool, 3>& periodic, double accuracy);

    double side() const { return side_; }
    const std::array<bool, 3>& periodic() const { return periodic_; }

    struct Value {
        double value;
        Vec3<double> gradient;
    };
    // The sum at a displacement from a source by at most twice the cube's reach along each axis.
    Value at(const Vec3<double>& displacement) const;

    static constexpr int most_shells = 12;

  private:
    // The Chebyshev polynomials T_0, T_2, ... along each axis.
    static constexpr std::size_t along = 12;

    void take_coefficients(const std::vector<double>& values);
    double reach() const { return 2 * PeriodicCube{.side = side_}.reach(); }

    double side_;
    std::array<bool, 3> periodic_;
    std::vector<double> coefficients_;  // [along][along][along]
};

}  // namespace trellis
