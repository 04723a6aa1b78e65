// The calls of Remote-GRAPE, as a program calls them that links with libtrellis_grape.
#include <gtest/gtest.h>
#include <trellis/grape/grape3.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "grape/direct_sum.hpp"

namespace trellis::grape3_test {

using grape_tests::Bodies;
using grape_tests::direct_sum;
using grape_tests::Forces;
using grape_tests::largest_error;
using grape_tests::norm;
using grape_tests::plummer;
using grape_tests::Vector;

constexpr float untouched = -7;

// Bodies whose values single precision has, in the arrays of the paper.
struct Listing {
    Bodies bodies;
    std::vector<float> x, mass, acc, pot;
    explicit Listing(std::size_t count) : bodies(plummer(count)), acc(3 * count, untouched), pot(count, untouched) {
        for (Vector& v : bodies.x)
            for (double& component : v) x.push_back(static_cast<float>(component = static_cast<float>(component)));
        for (double& m : bodies.m) mass.push_back(static_cast<float>(m = static_cast<float>(m)));
    }
    int n() const { return static_cast<int>(mass.size()); }
    Forces forces(std::size_t first, std::size_t count) const {
        Forces found(count);
        for (std::size_t k = 0; k < count; ++k) {
            for (std::size_t axis = 0; axis < 3; ++axis) found.a[k][axis] = acc[3 * (first + k) + axis];
            found.p[k] = pot[first + k];
        }
        return found;
    }
    Forces forces() const { return forces(0, mass.size()); }
    void give() const {
        EXPECT_EQ(g3setscales(1, 1), 0);
        EXPECT_EQ(g3seteps2(0.01F), 0);
        EXPECT_EQ(g3setmass(n(), mass.data()), 0);
        EXPECT_EQ(g3setdata(n(), x.data(), x.data() + 1, x.data() + 2), 0);
    }
    int get() { return g3getgravity(n(), acc.data(), acc.data() + 1, acc.data() + 2, pot.data()); }
};

const double softening = std::sqrt(static_cast<double>(0.01F));

TEST(Grape3Calls, of_the_original_library_give_direct_summation) {
    Listing listing(500);
    ASSERT_EQ(g3setscales(10, 1e-3F), 0);
    ASSERT_EQ(g3seteps2(0.01F), 0);
    ASSERT_EQ(g3setn(500), 0);
    for (int j = 0; j < 500; ++j) {
        ASSERT_EQ(g3setxj(j, &listing.x[3 * j]), 0);
        ASSERT_EQ(g3setm(j, listing.mass[j]), 0);
    }
    for (int i = 0; i < 500; i += 8)
        ASSERT_EQ(g3frc(&listing.x[3 * i], &listing.acc[3 * i], &listing.pot[i], std::min(8, 500 - i)), 0);
    EXPECT_LT(largest_error(listing.forces(), direct_sum(listing.bodies, softening)), 1e-6);
}

TEST(Grape3Calls, of_many_particles_at_once_give_direct_summation) {
    Listing listing(800);
    listing.give();
    ASSERT_EQ(g3docalculation(1, 800, 1, 800, G3_GRAVITY), 0);
    ASSERT_EQ(listing.get(), 0);
    EXPECT_LT(largest_error(listing.forces(), direct_sum(listing.bodies, softening)), 1e-6);
}

TEST(Grape3Calls, in_double_precision_keep_the_digits_of_positions) {
    Bodies bodies = plummer(300);
    for (Vector& v : bodies.x)
        for (double& component : v) component = 1000 + 1e-3 * component;
    Forces found(300);
    const double* x = bodies.x.front().data();
    double* a = found.a.front().data();
    const Forces exact = direct_sum(bodies, 1e-5);
    ASSERT_EQ(g3seteps2_d(1e-10), 0);
    ASSERT_EQ(g3setmass_d(300, bodies.m.data()), 0);
    ASSERT_EQ(g3setdata_d(300, x, x + 1, x + 2), 0);
    ASSERT_EQ(g3docalculation(1, 300, 1, 300, G3_GRAVITY), 0);
    ASSERT_EQ(g3getgravity_d(300, a, a + 1, a + 2, found.p.data()), 0);
    EXPECT_LT(largest_error(found, exact), 1e-6);
    std::ranges::fill(found.a, Vector{});
    std::ranges::fill(found.p, 0);
    ASSERT_EQ(g3setn(300), 0);
    for (int j = 0; j < 300; ++j) {
        ASSERT_EQ(g3setxj_d(j, x + 3 * j), 0);
        ASSERT_EQ(g3setm_d(j, bodies.m[j]), 0);
    }
    ASSERT_EQ(g3frc_d(x, a, found.p.data(), 300), 0);
    EXPECT_LT(largest_error(found, exact), 1e-6);
}

TEST(Grape3Calls, compute_sub_ranges_and_leave_other_entries_alone) {
    Listing listing(300);
    listing.give();
    ASSERT_EQ(g3docalculation(101, 150, 201, 300, G3_GRAVITY), 0);
    ASSERT_EQ(listing.get(), 0);
    const std::vector<Vector> targets(listing.bodies.x.begin() + 100, listing.bodies.x.begin() + 150);
    EXPECT_LT(largest_error(listing.forces(100, 50), direct_sum(targets, listing.bodies, softening, 200, 100)), 1e-6);
    EXPECT_EQ(listing.pot[99], untouched);
    EXPECT_EQ(listing.acc[3 * 150], untouched);
}

// The neighbours of particle i (from 0) among the particles j0 to j1, by numbers from 1.
std::vector<int> nearby(const Bodies& bodies, std::size_t i, double h, int j0, int j1) {
    std::vector<int> found;
    for (int j = j0; j <= j1; ++j) {
        const Vector &a = bodies.x[i], &b = bodies.x[static_cast<std::size_t>(j - 1)];
        if (norm({a[0] - b[0], a[1] - b[1], a[2] - b[2]}) < h) found.push_back(j);
    }
    return found;
}

class Grape3Neighbours : public testing::Test {
  protected:
    Grape3Neighbours() {
        for (std::size_t k = 0; k < 400; ++k) h.push_back(0.1F + 0.01F * static_cast<float>(k % 20));
        listing.give();
        EXPECT_EQ(g3seth2all(400, h.data()), 0);
    }

    void expect_nearby(const std::vector<int>& list, const std::vector<int>& begin, std::size_t i, int j0, int j1) {
        const auto from = list.begin() + begin[i] - 1, to = list.begin() + begin[i + 1] - 1;
        EXPECT_EQ(std::vector<int>(from, to), nearby(listing.bodies, i, h[i], j0, j1)) << i;
    }

    Listing listing{400};
    std::vector<float> h;
};

TEST_F(Grape3Neighbours, in_2_bytes_are_those_of_a_search_among_all) {
    ASSERT_EQ(g3docalculation(1, 400, 1, 400, G3_GRAVITY_AND_NEIGHBORS), 0);
    std::vector<unsigned short> list(40000);
    std::vector<int> begin(400);
    const int total = g3getneighbor(400, list.data(), begin.data());
    ASSERT_GT(total, 400);
    EXPECT_EQ(begin.front(), 1);
    begin.push_back(total + 1);
    const std::vector<int> wide(list.begin(), list.end());
    for (std::size_t i = 0; i < 400; ++i) expect_nearby(wide, begin, i, 1, 400);
    ASSERT_EQ(listing.get(), 0);
    EXPECT_LT(largest_error(listing.forces(), direct_sum(listing.bodies, softening)), 1e-6);
}

TEST_F(Grape3Neighbours, in_4_bytes_and_of_sub_ranges) {
    ASSERT_EQ(g3docalculation(51, 350, 101, 300, G3_NEIGHBORS), 0);
    std::vector<int> list(20000), begin(401);
    const int total = g3getneighbor_d(400, list.data(), 20000, begin.data());
    EXPECT_EQ(begin.back(), total + 1);
    for (std::size_t i = 0; i < 400; ++i) {
        if (i >= 50 && i < 350)
            expect_nearby(list, begin, i, 101, 300);
        else
            EXPECT_EQ(begin[i], begin[i + 1]);
    }
    testing::internal::CaptureStderr();
    EXPECT_EQ(listing.get(), G3_BAD_CALL);
    EXPECT_EQ(
        testing::internal::GetCapturedStderr(),
        "trellis_grape: g3getgravity: there is no gravity yet: a calculation in a mode that gives it comes first\n");
    EXPECT_TRUE(std::isnan(listing.acc[0]) && std::isnan(listing.pot[399]));
}

TEST_F(Grape3Neighbours, more_than_fit_are_an_error_and_nothing_is_written) {
    std::fill(h.begin(), h.end(), 3.0F);
    ASSERT_EQ(g3seth2all(400, h.data()), 0);
    ASSERT_EQ(g3docalculation(1, 400, 1, 400, G3_NEIGHBORS), 0);
    std::vector<int> list(160000, 0), begin(401, 0);
    const int total = g3getneighbor_d(400, list.data(), 160000, begin.data());
    ASSERT_GT(total, 40000);
    std::ranges::fill(list, 0);
    std::ranges::fill(begin, 0);
    testing::internal::CaptureStderr();
    EXPECT_EQ(g3getneighbor_d(400, list.data(), total - 1, begin.data()), G3_TOO_MANY_NEIGHBORS);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "trellis_grape: g3getneighbor_d: there are " + std::to_string(total) +
                  " neighbours, but the list has room for " + std::to_string(total - 1) + "\n");
    EXPECT_EQ(std::accumulate(list.begin(), list.end(), 0) + std::accumulate(begin.begin(), begin.end(), 0), 0);
    EXPECT_EQ(g3getneighbor_d(400, list.data(), total, begin.data()), total);
    std::vector<unsigned short> small(160000, 0);
    testing::internal::CaptureStderr();
    EXPECT_EQ(g3getneighbor(400, small.data(), begin.data()), G3_TOO_MANY_NEIGHBORS);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("room for 40000"), std::string::npos);
    EXPECT_EQ(std::accumulate(small.begin(), small.end(), 0), 0);
}

TEST_F(Grape3Neighbours, and_gravity_arrive_while_the_program_goes_on) {
    std::vector<unsigned short> list(40000), list_again(40000);
    std::vector<int> begin(400), begin_again(400);
    ASSERT_EQ(g3docalculation(1, 400, 1, 400, G3_GRAVITY_AND_NEIGHBORS), 0);
    ASSERT_EQ(listing.get(), 0);
    const int total = g3getneighbor(400, list.data(), begin.data());
    std::vector<float> acc(1200), pot(400);
    for (int turn = 0; turn < 3; ++turn) {  // the second time lists come along with their begins
        ASSERT_EQ(g3docalculationpara(1, 400, 1, 400, G3_GRAVITY_AND_NEIGHBORS), 0);
        ASSERT_EQ(g3getgravityasync(400, acc.data(), acc.data() + 1, acc.data() + 2, pot.data()), 0);
        ASSERT_EQ(g3getneighborasync(400, list_again.data(), begin_again.data()), total);
        EXPECT_EQ(acc, listing.acc);
        EXPECT_EQ(pot, listing.pot);
        EXPECT_EQ(list, list_again);
        EXPECT_EQ(begin, begin_again);
    }
}

TEST_F(Grape3Neighbours, wrong_calls_say_what_is_allowed) {
    const auto complaint = [](auto&& call) {
        testing::internal::CaptureStderr();
        EXPECT_EQ(call(), G3_BAD_CALL);
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(complaint([] { return g3docalculation(1, 400, 1, 400, 4); }),
              "trellis_grape: g3docalculation: mode is 4, but must be 1 (gravity), 2 (gravity and neighbours) or 3 "
              "(neighbours)\n");
    EXPECT_EQ(complaint([] { return g3docalculation(0, 400, 1, 400, 1); }),
              "trellis_grape: g3docalculation: the i-particles are 0 to 400, but are counted from 1, the first number "
              "first\n");
    EXPECT_EQ(complaint([] { return g3docalculation(1, 400, 300, 401, 1); }),
              "trellis_grape: g3docalculation: the j-particles are 300 to 401, but there are 400 particles\n");
    EXPECT_EQ(complaint([] { return g3setscales(0, 1); }),
              "trellis_grape: g3setscales: the scale of length is 0, but must be positive and finite\n");
    EXPECT_EQ(complaint([] { return g3setmass(400, nullptr); }),
              "trellis_grape: g3setmass: an array is a null pointer\n");
    EXPECT_EQ(complaint([] { return g3setxj(-1, nullptr); }), "trellis_grape: g3setxj: an array is a null pointer\n");
    EXPECT_EQ(complaint([] { return g3seteps2(-1); }),
              "trellis_grape: g3seteps2: eps2 is -1, but must be at least 0 and finite\n");
    ASSERT_EQ(g3docalculation(1, 400, 1, 400, 1), 0);
    EXPECT_EQ(complaint([&] {
                  return g3getgravity(399, listing.acc.data(), listing.acc.data() + 1, listing.acc.data() + 2,
                                      listing.pot.data());
              }),
              "trellis_grape: g3getgravity: n is 399, but there are 400 particles\n");
    EXPECT_NE(complaint([] { return g3setn(70000) < 0 ? 0 : g3getneighbor(70000, nullptr, nullptr); }), "");
}

}  // namespace trellis::grape3_test
