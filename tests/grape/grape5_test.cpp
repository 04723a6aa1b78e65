// The GRAPE-5 calls, as a program calls them that links with libtrellis_grape.
#include <gtest/gtest.h>
#include <trellis/grape/gp5util.h>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "grape/direct_sum.hpp"

namespace trellis::grape5_test {

using grape_tests::Bodies;
using grape_tests::direct_sum;
using grape_tests::Forces;
using grape_tests::largest_error;
using grape_tests::plummer;
using grape_tests::Vector;
using Rows = double (*)[3];

Rows rows(std::vector<Vector>& vectors) { return reinterpret_cast<Rows>(vectors.data()); }

class Grape5Calls : public testing::Test {
  protected:
    Grape5Calls() {
        g5_open();
        g5_set_eps_to_all(0.01);
    }
    ~Grape5Calls() override { g5_close(); }

    void give(Bodies& bodies, int board = 0) {
        const int count = static_cast<int>(bodies.size());
        g5_set_xmjMC(board, 0, count, rows(bodies.x), bodies.m.data());
        g5_set_nMC(board, count);
    }
};

TEST_F(Grape5Calls, forces_of_all_on_all_are_those_of_direct_summation) {
    Bodies bodies = plummer(3000);
    Forces found(bodies.size());
    g5_set_range(-50, 50, 1e-5);
    g5_set_xmj(0, 3000, rows(bodies.x), bodies.m.data());
    g5_set_n(3000);
    g5_calculate_force_on_x(rows(bodies.x), rows(found.a), found.p.data(), 3000);
    EXPECT_LT(largest_error(found, direct_sum(bodies, 0.01)), 1e-6);
}

TEST_F(Grape5Calls, pairs_of_a_particle_with_itself_count_in_a_positive_potential) {
    Bodies one{{{1, 2, 3}}, {4}};
    Forces found(1);
    give(one);
    g5_calculate_force_on_x(rows(one.x), rows(found.a), found.p.data(), 1);
    EXPECT_NEAR(found.p[0], 400, 1e-4);
    EXPECT_EQ(found.a[0], Vector{});
}

TEST_F(Grape5Calls, one_pipeline_after_the_other) {
    Bodies bodies = plummer(2500);
    Forces found(bodies.size());
    give(bodies);
    const int pipelines = g5_get_number_of_pipelines();
    for (int i = 0; i < 2500; i += pipelines) {
        const int count = std::min(pipelines, 2500 - i);
        g5_set_xi(count, rows(bodies.x) + i);
        g5_run();
        g5_get_force(count, rows(found.a) + i, found.p.data() + i);
    }
    EXPECT_LT(largest_error(found, direct_sum(bodies, 0.01)), 1e-6);
}

TEST_F(Grape5Calls, j_particles_come_in_pieces_and_only_the_first_n_act) {
    Bodies bodies = plummer(600);
    std::vector<Vector> targets(bodies.x.begin() + 100, bodies.x.begin() + 150);
    Forces found(targets.size());
    g5_set_xmj(0, 300, rows(bodies.x), bodies.m.data());
    g5_set_xmj(200, 400, rows(bodies.x), bodies.m.data());
    g5_set_n(500);
    g5_calculate_force_on_x(rows(targets), rows(found.a), found.p.data(), 50);
    EXPECT_LT(largest_error(found, direct_sum(targets, bodies, 0.01, 0, 500)), 1e-6);
}

TEST_F(Grape5Calls, arrays_may_change_while_a_run_is_under_way) {
    Bodies bodies = plummer(500);
    const Forces exact = direct_sum(bodies, 0.01);
    Forces found(bodies.size());
    give(bodies);
    g5_set_xi(500, rows(bodies.x));
    g5_run();
    for (Vector& x : bodies.x) x = {9, 9, 9};
    g5_get_force(500, rows(found.a), found.p.data());
    EXPECT_LT(largest_error(found, exact), 1e-6);
}

TEST_F(Grape5Calls, four_threads_at_once_each_with_a_board) {
    std::vector<double> errors(4, 1);
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([&, k] {
            errors[k] = 0;
            for (unsigned turn = 0; turn < 20; ++turn) {
                Bodies bodies = plummer(300 + 50 * turn, 10 * turn + static_cast<unsigned>(k));
                Forces found(bodies.size());
                give(bodies, k);
                const int count = static_cast<int>(bodies.size());
                if (turn % 2 == 0) {
                    g5_calculate_force_on_xMC(k, rows(bodies.x), rows(found.a), found.p.data(), count);
                } else {
                    g5_set_xiMC(k, count, rows(bodies.x));
                    g5_runMC(k);
                    g5_get_forceMC(k, count, rows(found.a), found.p.data());
                }
                errors[k] = std::max(errors[k], largest_error(found, direct_sum(bodies, 0.01)));
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const double error : errors) EXPECT_LT(error, 1e-6);
}

TEST_F(Grape5Calls, several_threads_may_even_share_a_board) {
    Bodies bodies = plummer(400);
    const Forces exact = direct_sum(bodies, 0.01);
    give(bodies);
    std::vector<double> errors(4, 1);
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([&, k] {
            Forces found(bodies.size());
            g5_calculate_force_on_x(rows(bodies.x), rows(found.a), found.p.data(), 400);
            errors[k] = largest_error(found, exact);
        });
    for (std::thread& thread : threads) thread.join();
    for (const double error : errors) EXPECT_LT(error, 1e-6);
}

// The text that a call prints to stderr.
template <class Call>
std::string complaint(Call&& call) {
    testing::internal::CaptureStderr();
    call();
    return testing::internal::GetCapturedStderr();
}

TEST_F(Grape5Calls, a_call_that_fails_prints_a_sentence_and_gives_nan) {
    Bodies bodies = plummer(10);
    Forces found(10);
    const auto compute = [&] { g5_calculate_force_on_x(rows(bodies.x), rows(found.a), found.p.data(), 10); };
    EXPECT_EQ(complaint(compute),
              "trellis_grape: g5_calculate_force_on_x: the number of j-particles is not known: g5_set_n comes first\n");
    EXPECT_TRUE(std::isnan(found.a[9][2]) && std::isnan(found.p[9]));
    give(bodies);
    g5_set_n(11);
    EXPECT_EQ(complaint(compute),
              "trellis_grape: g5_calculate_force_on_x: n is 11, but g5_set_xmj has given 10 particles\n");
    g5_set_n(10);
    EXPECT_EQ(complaint([&] { g5_set_xmj(0, 10, nullptr, bodies.m.data()); }),
              "trellis_grape: g5_set_xmj: xj is a null pointer\n");
    EXPECT_EQ(complaint(compute),
              "trellis_grape: g5_calculate_force_on_x: there are no j-particles: g5_set_xmj comes first\n");
    EXPECT_TRUE(std::isnan(found.a[0][0]));
    EXPECT_EQ(complaint([&] { g5_set_nMC(-1, 10); }),
              "trellis_grape: g5_set_n: devid is -1, but must be from 0 to 1023\n");
    EXPECT_EQ(complaint([&] { g5_set_xmj(1, JMEMSIZE, rows(bodies.x), bodies.m.data()); }),
              "trellis_grape: g5_set_xmj: nj is 1048576, but must be from 0 to 1048575\n");
    EXPECT_EQ(complaint([&] { g5_set_eps_to_all(-1); }),
              "trellis_grape: g5_set_eps_to_all: eps is -1, but must be at least 0 and finite\n");
    EXPECT_EQ(complaint([&] { g5_set_range(1, 1, 0); }),
              "trellis_grape: g5_set_range: xmin and xmax are 1 and 1, but must be finite and xmin less than xmax\n");
    EXPECT_EQ(complaint([&] { g5_get_force(1, rows(found.a), found.p.data()); }),
              "trellis_grape: g5_get_force: there are no forces yet: g5_set_xi and g5_run come first\n");
    give(bodies);
    EXPECT_EQ(complaint(compute), "");
    EXPECT_LT(largest_error(found, direct_sum(bodies, 0.01)), 1e-6);
}

TEST(Grape5Devices, are_those_of_the_environment) {
    Bodies bodies = plummer(100);
    Forces found(100);
    const auto compute = [&] {
        g5_set_xmjMC(1, 0, 100, rows(bodies.x), bodies.m.data());
        g5_set_nMC(1, 100);
        g5_calculate_force_on_xMC(1, rows(bodies.x), rows(found.a), found.p.data(), 100);
    };
    setenv("TRELLIS_GRAPE_DEVICE", "nowhere:7", 1);
    EXPECT_NE(complaint(g5_open).find("TRELLIS_GRAPE_DEVICE: there is no device 'nowhere:7'"), std::string::npos);
    g5_close();
    setenv("TRELLIS_GRAPE_DEVICE", "cpu, nowhere:7", 1);
    EXPECT_EQ(complaint(g5_open), "");
    EXPECT_NE(complaint(compute), "");
    EXPECT_TRUE(std::isnan(found.p[0]));
    g5_close();
    setenv("TRELLIS_GRAPE_DEVICE", "cpu,,cpu", 1);
    EXPECT_EQ(
        complaint(g5_open),
        "trellis_grape: g5_open: TRELLIS_GRAPE_DEVICE is 'cpu,,cpu', but must be the name of a device, or several "
        "with commas between them\n");
    g5_close();
    setenv("TRELLIS_GRAPE_DEVICE", "cpu,cpu", 1);
    g5_set_eps_to_all(0.5);
    compute();
    EXPECT_LT(largest_error(found, direct_sum(bodies, 0.5)), 1e-6);
    g5_close();
    unsetenv("TRELLIS_GRAPE_DEVICE");
}

}  // namespace trellis::grape5_test
