#include "trellis/grape/board.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "grape/direct_sum.hpp"
#include "trellis/devices/cpu_device.hpp"
#include "unit/with_threads.hpp"

namespace trellis::board_test {

using grape_tests::Bodies;
using grape_tests::direct_sum;
using grape_tests::Forces;
using grape_tests::largest_error;
using grape_tests::plummer;
using grape_tests::Vector;

std::shared_ptr<Device> device(int threads = 2) { return make_cpu_device(std::size_t{1} << 30, threads); }

std::vector<Vec3<double>> vectors(const std::vector<Vector>& x) {
    std::vector<Vec3<double>> result;
    for (const Vector& v : x) result.push_back({v[0], v[1], v[2]});
    return result;
}

void write(GrapeBoard& board, const Bodies& bodies) {
    board.write_positions(0, vectors(bodies.x));
    board.write_masses(0, bodies.m);
}

Forces forces_of(GrapeBoard& board) {
    const auto found = board.forces();
    Forces forces(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Vec3<double>& a = found[i].acceleration;
        forces.a[i] = {a.x, a.y, a.z};
        forces.p[i] = found[i].potential;
    }
    return forces;
}

Forces forces_of_all(const Bodies& bodies, double softening, int threads = 2) {
    GrapeBoard board(device(threads));
    write(board, bodies);
    board.start_forces_among({0, bodies.size()}, {0, bodies.size()}, softening);
    return forces_of(board);
}

TEST(GrapeAccuracy, is_that_of_single_precision_in_any_units_and_anywhere) {
    for (const double length : {1.0, 3.1e21, 1e-20})
        for (const double mass : {1.0, 2e43, 1e-40})
            for (const double offset : {0.0, 1000.0}) {
                Bodies bodies = plummer(700);
                for (Vector& x : bodies.x)
                    for (double& component : x) component = length * (component + offset);
                for (double& m : bodies.m) m *= mass;
                const double softening = 0.02 * length;
                EXPECT_LT(largest_error(forces_of_all(bodies, softening), direct_sum(bodies, softening)), 1e-6)
                    << length << ' ' << mass << ' ' << offset;
            }
}

TEST(GrapeAccuracy, holds_for_close_pairs_without_softening_and_for_many_particles) {
    Bodies bodies = plummer(9000);
    for (std::size_t k = 0; k < 15; ++k) {
        bodies.x[2 * k] = bodies.x[2 * k + 1];
        bodies.x[2 * k][k % 3] += 1e-3 / static_cast<double>(1 << k);  // down to 6e-8
    }
    bodies.x[100] = bodies.x[101];
    GrapeBoard board(device());
    write(board, bodies);
    const std::size_t targets = 120;
    board.start_forces_among({0, targets}, {0, bodies.size()}, 0);
    const std::vector<Vector> x(bodies.x.begin(), bodies.x.begin() + targets);
    EXPECT_LT(largest_error(forces_of(board), direct_sum(x, bodies, 0, 0, bodies.size())), 1e-6);
}

TEST(GrapeForces, have_the_same_bits_for_any_number_of_threads) {
    const Bodies bodies = plummer(5000);
    const Forces one = forces_of_all(bodies, 0.01, 1), three = forces_of_all(bodies, 0.01, 3);
    EXPECT_EQ(one.a, three.a);
    EXPECT_EQ(one.p, three.p);
}

TEST(GrapeForces, of_ranges_on_ranges) {
    const Bodies bodies = plummer(900);
    GrapeBoard board(device());
    write(board, bodies);
    for (const GrapeRange i : {GrapeRange{0, 900}, {17, 300}, {899, 1}, {5, 0}})
        for (const GrapeRange j : {GrapeRange{0, 900}, {600, 300}, {3, 1}}) {
            board.start_forces_among(i, j, 0.1);
            const auto first = bodies.x.begin() + static_cast<std::ptrdiff_t>(i.first);
            const std::vector<Vector> targets(first, first + static_cast<std::ptrdiff_t>(i.count));
            const Forces found = forces_of(board);
            ASSERT_EQ(found.a.size(), i.count);
            EXPECT_LT(largest_error(found, direct_sum(targets, bodies, 0.1, j.first, j.count)), 1e-6);
        }
    board.start_forces_among({0, 2}, {0, 0}, 0.1);
    EXPECT_EQ(forces_of(board).p, (std::vector<double>{0, 0}));
}

TEST(GrapeForces, take_particles_that_change_one_by_one_and_grow_in_number) {
    Bodies bodies = plummer(400);
    GrapeBoard board(device());
    write(board, bodies);
    board.start_forces_among({0, 400}, {0, 400}, 0.1);
    for (const std::size_t k : {399, 7, 200}) {
        bodies.x[k] = {0.1, 0.2, 0.3};
        bodies.m[k] = 0.5;
        board.write_positions(k, {{Vec3<double>{0.1, 0.2, 0.3}}});
        board.write_masses(k, std::span(&bodies.m[k], 1));
    }
    board.start_forces_among({0, 400}, {0, 400}, 0.1);
    EXPECT_LT(largest_error(forces_of(board), direct_sum(bodies, 0.1)), 1e-6);
    const Bodies more = plummer(100, 2);
    bodies.x.insert(bodies.x.end(), more.x.begin(), more.x.end());
    bodies.m.insert(bodies.m.end(), more.m.begin(), more.m.end());
    board.write_positions(400, vectors(more.x));
    board.write_masses(400, more.m);
    board.start_forces_among({0, 500}, {0, 500}, 0.1);
    EXPECT_LT(largest_error(forces_of(board), direct_sum(bodies, 0.1)), 1e-6);
}

// The neighbours of i among [first, first + count), itself included.
std::vector<std::uint32_t> nearby(const Bodies& bodies, std::size_t i, double radius, GrapeRange sources) {
    std::vector<std::uint32_t> found;
    for (std::size_t j = sources.first; j < sources.first + sources.count; ++j) {
        const Vector &a = bodies.x[i], &b = bodies.x[j];
        if (grape_tests::norm({a[0] - b[0], a[1] - b[1], a[2] - b[2]}) < radius)
            found.push_back(static_cast<std::uint32_t>(j));
    }
    return found;
}

// A test of each instruction set: see tests/CMakeLists.txt.
TEST(GrapeNeighboursOfIsa, are_those_of_a_search_among_all) {
    const Bodies bodies = plummer(1500);
    std::vector<double> radii;
    for (std::size_t k = 0; k < bodies.size(); ++k) radii.push_back(0.1 + 0.3 * static_cast<double>(k % 7));
    radii[3] = 0;
    radii[4] = 1000;
    GrapeBoard board(device());
    write(board, bodies);
    board.write_radii(0, radii);
    // from few neighbours to more than there was room for, and back
    for (const GrapeRange j : {GrapeRange{3, 10}, {0, 1500}, {700, 101}})
        for (const GrapeRange i : {GrapeRange{0, 1500}, {1, 70}, {1499, 1}, {0, 0}}) {
            board.start_neighbours(i, j);
            const GrapeNeighbours lists = board.neighbours();
            ASSERT_EQ(lists.begins.size(), i.count + 1);
            ASSERT_EQ(lists.begins.back(), lists.found.size());
            for (std::size_t k = 0; k < i.count; ++k) {
                const auto list = lists.found.subspan(lists.begins[k], lists.begins[k + 1] - lists.begins[k]);
                EXPECT_EQ(std::vector(list.begin(), list.end()), nearby(bodies, i.first + k, radii[i.first + k], j));
            }
        }
}

TEST(GrapeBoard, computes_forces_and_neighbours_at_once) {
    const Bodies bodies = plummer(300);
    const std::vector<double> radii(300, 0.5);
    GrapeBoard board(device());
    write(board, bodies);
    board.write_radii(0, radii);
    board.start_forces_among({0, 300}, {0, 300}, 0.1);
    board.start_neighbours({0, 300}, {0, 300});
    EXPECT_EQ(board.neighbours().found.front(), nearby(bodies, 0, 0.5, {0, 300}).front());
    EXPECT_LT(largest_error(forces_of(board), direct_sum(bodies, 0.1)), 1e-6);
}

}  // namespace trellis::board_test
