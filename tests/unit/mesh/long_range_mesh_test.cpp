#include "trellis/mesh/long_range_mesh.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "trellis/base/error.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "unit/mesh/mesh_checks.hpp"
#include "unit/with_threads.hpp"

namespace trellis::long_range_mesh_test {

using namespace mesh_checks;

// The field at each of the charges, which are dealt out to `ranks` ranks.
template <class T>
std::vector<PointField> mesh_field(const Charges& charges, const Region& region, const S2Split& split,
                                   const MeshSettings& settings, int ranks = 1) {
    std::vector<PointField> all(charges.positions.size());
    run_ranks(ranks, [&](Comm& comm) {
        LongRangeMesh<T> mesh(shared(comm), region, split, settings);
        find_field(mesh, charges, dealt_to(comm, charges), all);
    });
    return all;
}

std::vector<PointField> exact_field(const Charges& charges, const Region& region, const S2Split& split, int waves) {
    std::vector<PointField> all;
    for (const Vec3<double>& place : charges.positions)
        all.push_back(wave_sum::field(charges, region, split, place, waves));
    return all;
}

// A lattice displaced by a small wave: its field is that of the density wave.
TEST(LongRangeMesh, plane_wave_of_density_has_its_analytic_field) {
    constexpr int n = 32;
    constexpr double amplitude = 1e-6, k = 2 * std::numbers::pi * 2;
    const S2Split split{7.0 / n};
    Charges charges;
    for (int x = 0; x < n; ++x)
        for (int y = 0; y < 8; ++y)
            for (int z = 0; z < 8; ++z) {
                const double q = (x + 0.5) / n;
                charges.positions.push_back({q + amplitude / k * std::sin(k * q), y / 8.0, z / 8.0});
                charges.strengths.push_back(1.0 / (n * 64));
            }
    const auto found = mesh_field<double>(charges, cube, split, {.cells = {n, 8, 8}, .order = 4});
    // density 1 - amplitude cos(k q); phi = -(4 pi / k^2) filter * amplitude * cos, gradient +(4 pi / k) ... sin
    double worst = 0;
    const double scale = 4 * std::numbers::pi / k * split.filter(k) * amplitude;
    for (std::size_t p = 0; p < found.size(); ++p) {
        const double q = (static_cast<double>(p / 64) + 0.5) / n;
        worst = std::max(worst, std::abs(found[p][1] - scale * std::sin(k * q)) / scale);
    }
    EXPECT_LT(worst, 2e-4);
}

TEST(LongRangeMesh, field_is_that_of_the_sum_over_waves) {
    const Charges charges = wave_sum::scattered(cube, 12, 0.5, 1.5);
    for (const double width : {7.0, 11.0}) {  // of the split, in cells
        const S2Split split{width / 32};
        const auto exact = exact_field(charges, cube, split, 22);
        for (int order = 2; order <= 4; ++order) {
            const auto found = mesh_field<double>(charges, cube, split, {.cells = {32, 32, 32}, .order = order});
            const Errors e = errors(found, exact);
            // The aliases of the assignment, which are fewer where the split is wider.
            const double tolerance = std::array{0.22, 2.8e-2, 5.6e-3}[static_cast<std::size_t>(order - 2)] / width;
            EXPECT_LT(e.gradient, tolerance);
            EXPECT_LT(e.potential, tolerance);
        }
    }
}

TEST(LongRangeMesh, serves_boxes_that_are_not_cubes_and_charges) {
    const Region box{{-1, 2, 0}, {1, 3, 1.5}};
    const Charges charges = wave_sum::scattered(box, 10, -1, 1);
    const S2Split split{0.8};
    const auto exact = exact_field(charges, box, split, 20);
    const Errors e = errors(mesh_field<double>(charges, box, split, {.cells = {36, 20, 28}, .order = 4}), exact);
    EXPECT_LT(e.gradient, 5e-5);
    EXPECT_LT(e.potential, 5e-5);
}

TEST(LongRangeMesh, is_the_same_on_any_number_of_ranks) {
    const Charges charges = wave_sum::scattered(cube, 500, 0.5, 1.5);
    const S2Split split{0.2};
    const MeshSettings settings{.cells = {20, 18, 16}, .order = 3};
    const auto once = mesh_field<float>(charges, cube, split, settings);
    for (const int ranks : {2, 3, 4, 7}) {
        const Errors e = errors(mesh_field<float>(charges, cube, split, settings, ranks), once);
        EXPECT_LT(e.gradient, 1e-5);
        EXPECT_LT(e.potential, 1e-5);
    }
}

TEST(LongRangeMesh, has_the_same_bits_for_any_number_of_threads) {
    const Charges charges = wave_sum::scattered(cube, 30000, 0.5, 1.5);
    const S2Split split{0.4};
    const auto field = [&] { return mesh_field<float>(charges, cube, split, {.cells = {18, 18, 18}}); };
    const auto once = with_threads(1, field);
    EXPECT_EQ(with_threads(3, field), once);
}

TEST(LongRangeMesh, conserves_momentum) {
    const Charges charges = wave_sum::scattered(cube, 300, -1, 2);
    const S2Split split{5.5 / 24};
    for (int order = 2; order <= 4; ++order) {
        const auto found = mesh_field<double>(charges, cube, split, {.cells = {24, 24, 24}, .order = order});
        Vec3<double> sum{};
        double size = 0;
        for (std::size_t k = 0; k < found.size(); ++k) {
            const Vec3<double> force = charges.strengths[k] * Vec3<double>{found[k][1], found[k][2], found[k][3]};
            sum += force;
            size += std::sqrt(dot(force, force));
        }
        EXPECT_LT(std::sqrt(dot(sum, sum)), 1e-12 * size);
    }
}

TEST(LongRangeMesh, refuses_what_it_cannot_do) {
    const S2Split split{0.5};
    const auto make = [&](const Region& region, const MeshSettings& settings) {
        const LongRangeMesh<float> mesh(serial_comm(), region, split, settings);
    };
    EXPECT_THROW(make({}, {.cells = {8, 8, 8}}), InputError);
    EXPECT_THROW(make(cube, {.cells = {8, 2, 8}}), InputError);
    EXPECT_THROW(make(cube, {.cells = {8, 8, 8}, .order = 5}), InputError);
}

}  // namespace trellis::long_range_mesh_test
