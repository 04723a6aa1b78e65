#include "trellis/forces/tree/periodic/image_points_kernel.hpp"

#include <algorithm>
#include <array>

#include "trellis/base/simd.hpp"
#include "trellis/forces/tree/periodic/chebyshev.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

using V = Vector<double>;
constexpr std::size_t width = lanes<double>, along = points_along;

// The weight of each point along one axis at `width` positions: a polynomial that is 1 at that point and 0 at the
// others, and its derivative. In units of the reach from the centre.
struct Shares {
    V value[along], slope[along];

    explicit Shares(const V& x) {
        static const ChebyshevTable<along> table;
        V polynomial[along], derivative[along];
        polynomial[0] = V{} + 1.0;
        polynomial[1] = x;
        derivative[0] = V{};
        derivative[1] = V{} + 1.0;
        for (std::size_t k = 2; k < along; ++k) {
            polynomial[k] = 2.0 * x * polynomial[k - 1] - polynomial[k - 2];
            derivative[k] = 2.0 * polynomial[k - 1] + 2.0 * x * derivative[k - 1] - derivative[k - 2];
        }
        for (std::size_t point = 0; point < along; ++point) {
            value[point] = slope[point] = V{};
            for (std::size_t k = 0; k < along; ++k) {
                value[point] += table.weight[point][k] * polynomial[k];
                slope[point] += table.weight[point][k] * derivative[k];
            }
        }
    }
};

// Up to a batch of positions, one a lane; lanes without a position are at the centre.
Vec3<V> side_by_side(const PeriodicCube& cube, std::span<const Vec3<double>> positions) {
    const double per_reach = 1 / cube.reach();
    Vec3<V> x{V{}, V{}, V{}};
    for (std::size_t lane = 0; lane < positions.size(); ++lane) {
        const Vec3<double> place = (positions[lane] - cube.centre) * per_reach;
        x.x[lane] = place.x;
        x.y[lane] = place.y;
        x.z[lane] = place.z;
    }
    return x;
}

}  // namespace

void spread_strengths(const PeriodicCube& cube, std::span<const Vec3<double>> positions,
                      std::span<const double> strengths, double* on_points) {
    std::array<V, points_of_cube> sums{};
    for (std::size_t first = 0; first < positions.size(); first += width) {
        const std::size_t count = std::min(width, positions.size() - first);
        const Vec3<V> at = side_by_side(cube, positions.subspan(first, count));
        const Shares x(at.x), y(at.y), z(at.z);
        V strength{};
        for (std::size_t lane = 0; lane < count; ++lane) strength[lane] = strengths[first + lane];
        V* sum = sums.data();
        for (const V& on_x : x.value)
            for (const V& on_y : y.value) {
                const V both = strength * on_x * on_y;
                for (const V& on_z : z.value) *sum++ += both * on_z;
            }
    }
    for (std::size_t point = 0; point < sums.size(); ++point) on_points[point] += sum_of_lanes<double>(sums[point]);
}

void act_on_points(const PointPairs& pairs, std::size_t a, std::size_t b, double scale, const double* strengths,
                   double* field) {
    double sums[along] = {};
    for (std::size_t c = 0; c < along; ++c)
        for (std::size_t d = 0; d < along; ++d) {
            const std::size_t x = pairs.distance[a * along + c], y = pairs.distance[b * along + d];
            const double* block = pairs.blocks + (x * pairs.distances + y) * along * along;
            const double* strength = strengths + (c * along + d) * along;
            for (std::size_t from = 0; from < along; ++from)
                for (std::size_t to = 0; to < along; ++to) sums[to] += block[from * along + to] * strength[from];
        }
    for (std::size_t to = 0; to < along; ++to) field[to] += scale * sums[to];
}

void add_field(const PeriodicCube& cube, const double* field, std::span<const Vec3<double>> positions,
               const FieldScale& scale, double* values, Vec3<double>* gradients) {
    for (std::size_t first = 0; first < positions.size(); first += width) {
        const std::size_t count = std::min(width, positions.size() - first);
        const Vec3<V> at = side_by_side(cube, positions.subspan(first, count));
        const Shares x(at.x), y(at.y), z(at.z);
        V value{};
        Vec3<V> gradient{V{}, V{}, V{}};
        const double* next = field;
        for (std::size_t a = 0; a < along; ++a)
            for (std::size_t b = 0; b < along; ++b) {
                V sum{}, slope{};
                for (std::size_t c = 0; c < along; ++c, ++next) {
                    sum += *next * z.value[c];
                    slope += *next * z.slope[c];
                }
                value += x.value[a] * y.value[b] * sum;
                gradient.x += x.slope[a] * y.value[b] * sum;
                gradient.y += x.value[a] * y.slope[b] * sum;
                gradient.z += x.value[a] * y.value[b] * slope;
            }
        for (std::size_t lane = 0; lane < count; ++lane) {
            values[first + lane] += scale.value * value[lane];
            gradients[first + lane] +=
                scale.gradient * Vec3<double>{gradient.x[lane], gradient.y[lane], gradient.z[lane]};
        }
    }
}

TRELLIS_ISA_END
}  // namespace trellis
