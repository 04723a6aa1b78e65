// Direct summation in double precision, the oracle of the GRAPE calls, and particles to sum over.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace trellis::grape_tests {

using Vector = std::array<double, 3>;

struct Bodies {
    std::vector<Vector> x;
    std::vector<double> m;
    std::size_t size() const { return m.size(); }
};

// A Plummer sphere of unit scale length and mass, with masses that differ by up to a factor of three.
inline Bodies plummer(std::size_t count, unsigned seed = 1) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::normal_distribution<double> normal;
    Bodies bodies;
    for (std::size_t k = 0; k < count; ++k) {
        const double r = 1 / std::sqrt(std::pow(0.001 + 0.998 * uniform(random), -2.0 / 3) - 1);
        Vector v{normal(random), normal(random), normal(random)};
        const double length = std::hypot(v[0], v[1], v[2]);
        for (double& component : v) component *= r / length;
        bodies.x.push_back(v);
        bodies.m.push_back((0.5 + uniform(random)) / static_cast<double>(count));
    }
    return bodies;
}

struct Forces {
    std::vector<Vector> a;
    std::vector<double> p;
    std::vector<double> pulls;  // sum of the magnitudes of all pair forces
    explicit Forces(std::size_t count) : a(count, Vector{-7, -7, -7}), p(count, -7), pulls(count) {}
};

inline double norm(const Vector& v) { return std::hypot(v[0], v[1], v[2]); }

// The forces of the bodies [first, first + count) on the targets: potential positive, pairs at one place included as
// long as they are softened.
inline Forces direct_sum(const std::vector<Vector>& targets, const Bodies& bodies, double softening, std::size_t first,
                         std::size_t count) {
    Forces forces(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i) {
        Vector a{};
        double p = 0;
        for (std::size_t j = first; j < first + count; ++j) {
            Vector d;
            for (std::size_t axis = 0; axis < 3; ++axis) d[axis] = bodies.x[j][axis] - targets[i][axis];
            const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening;
            if (r2 == 0) continue;
            const double r = std::sqrt(r2);
            for (std::size_t axis = 0; axis < 3; ++axis) a[axis] += bodies.m[j] * d[axis] / (r2 * r);
            forces.pulls[i] += bodies.m[j] * norm(d) / (r2 * r);
            p += bodies.m[j] / r;
        }
        forces.a[i] = a;
        forces.p[i] = p;
    }
    return forces;
}

inline Forces direct_sum(const Bodies& bodies, double softening) {
    return direct_sum(bodies.x, bodies, softening, 0, bodies.size());
}

// The largest of the errors that the header states: of each force relative to the sum of the magnitudes of its pair
// forces, of each potential relative to itself, and the root mean square of all errors of forces relative to that of
// the forces. NaN counts as infinite.
inline double largest_error(const Forces& computed, const Forces& exact) {
    double largest = 0, square = 0, squared_errors = 0;
    const auto include = [&](double error, double scale) {
        if (error != 0) largest = std::max(largest, error / scale >= 0 ? error / scale : INFINITY);
    };
    for (std::size_t i = 0; i < exact.a.size(); ++i) {
        const Vector &a = computed.a[i], &b = exact.a[i];
        const double error = norm({a[0] - b[0], a[1] - b[1], a[2] - b[2]});
        squared_errors += error * error;
        square += norm(b) * norm(b);
        include(error, exact.pulls[i]);
        include(std::abs(computed.p[i] - exact.p[i]), exact.p[i]);
    }
    if (exact.a.size() > 1) include(std::sqrt(squared_errors), std::sqrt(square));
    return largest;
}

}  // namespace trellis::grape_tests
