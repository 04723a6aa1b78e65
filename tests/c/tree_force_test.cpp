// Gravity by a tree with a kernel in C, against the interaction in C++ and direct summation.
#include <gtest/gtest.h>

#include "c/handles.hpp"
#include "c/kernels.h"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"

namespace trellis::c_tests {

namespace {

constexpr double theta = 0.6;
double eps2 = 0.05 * 0.05;

Handle<trellis_force> gravity_in_c(const Handle<trellis_particles>& of, bool single, double opening = theta,
                                   int group_size = 0) {
    const char *i = "position", *j = "position mass", *results = "acceleration potential";
    return made<trellis_force>([&](auto* to) {
        return single
                   ? trellis_tree_force(of.get(), i, j, results, gravity_kernel, &eps2, opening, group_size, 0, to)
                   : trellis_tree_force_d(of.get(), i, j, results, gravity_kernel_d, &eps2, opening, group_size, 0, to);
    });
}

Handle<trellis_simulation> simulation_of(const Handle<trellis_particles>& particles, const Handle<trellis_force>& force,
                                         double timestep = 0.01) {
    auto simulation =
        made<trellis_simulation>([&](auto* to) { return trellis_simulation_new(particles.get(), timestep, to); });
    EXPECT_EQ(trellis_add_force(simulation.get(), force.get()), 0) << trellis_error();
    return simulation;
}

// Accelerations by the interaction in C++, in the order of the ids.
std::vector<double> accelerations_in_cpp(ParticleSet particles, Precision precision) {
    const auto moved = std::make_shared<ParticleSet>(std::move(particles));
    Simulation sim(moved, 0.01);
    sim.add_force(gravity(0.05, 1, {.theta = theta, .method = Method::tree, .order = 1, .precision = precision}));
    sim.keep_order(true);
    sim.compute_forces();
    const double* values = moved->column("acceleration").values();
    return {values, values + 3 * moved->size()};
}

std::vector<double> accelerations_in_c(const ParticleSet& particles, bool single) {
    const auto ours = particles_of(particles);
    const auto simulation = simulation_of(ours, gravity_in_c(ours, single));
    EXPECT_EQ(trellis_compute_forces(simulation.get()), 0) << trellis_error();
    return by_id(ours, "acceleration", 3);
}

}  // namespace

TEST(TreeForceInC, IsTheForceOfTheInteractionInCpp) {
    for (const std::size_t size : {1, 2, 3, 1500}) {
        for (const bool single : {true, false}) {
            const auto theirs =
                accelerations_in_cpp(models::plummer(size, 3), single ? Precision::single_ : Precision::double_);
            const auto ours = accelerations_in_c(models::plummer(size, 3), single);
            if (size == 1)
                EXPECT_EQ(ours, theirs);
            else
                EXPECT_LT(difference(ours, theirs), single ? 5e-7 : 1e-14) << size;
        }
    }
}

// A group of 3000 particles is more than are staged at once; within it the sum is direct.
TEST(TreeForceInC, OfAGroupOfOneAndOfAllParticles) {
    const auto particles = particles_of(models::plummer(3000, 4));
    for (const int group_size : {1, 4096}) {
        const auto simulation = simulation_of(particles, gravity_in_c(particles, true, theta, group_size));
        double error = 1;
        EXPECT_EQ(trellis_force_error(simulation.get(), 200, &error), 0) << trellis_error();
        EXPECT_LT(error, group_size == 1 ? 2e-2 : 5e-7);
    }
}

TEST(TreeForceInC, HasErrorsThatFallWithTheta) {
    const auto particles = particles_of(models::plummer(2000, 5));
    double coarse = 0, fine = 0;
    const auto error_at = [&](double opening) {
        const auto simulation = simulation_of(particles, gravity_in_c(particles, true, opening));
        double error = 1;
        EXPECT_EQ(trellis_force_error(simulation.get(), 200, &error), 0) << trellis_error();
        return error;
    };
    coarse = error_at(1.0);
    fine = error_at(0.3);
    EXPECT_LT(coarse, 3e-2);
    EXPECT_LT(fine, 0.1 * coarse);
}

TEST(TreeForceInC, HasTheSameBitsForAnyNumberOfThreads) {
    const ParticleSet particles = models::plummer(3000, 6);
    std::vector<double> of[2];
    for (const int threads : {1, 2}) {
        EXPECT_EQ(trellis_set_threads(threads), 0);
        of[threads - 1] = accelerations_in_c(particles, true);
    }
    EXPECT_EQ(of[0], of[1]);
}

TEST(TreeForceInC, KeepsTheEnergyOfAPlummerSphere) {
    const auto particles = particles_of(models::plummer(1000, 7));
    const auto simulation = simulation_of(particles, gravity_in_c(particles, true), 1.0 / 128);
    double kinetic = 0, potential = 0, first = 0, time = 0;
    EXPECT_EQ(trellis_energies(simulation.get(), &kinetic, &potential), 0) << trellis_error();
    first = kinetic + potential;
    EXPECT_EQ(trellis_step(simulation.get(), 10), 0) << trellis_error();
    EXPECT_EQ(trellis_run_until(simulation.get(), 0.25), 0) << trellis_error();
    EXPECT_EQ(trellis_time(simulation.get(), &time), 0);
    EXPECT_EQ(time, 0.25);
    EXPECT_EQ(trellis_energies(simulation.get(), &kinetic, &potential), 0);
    EXPECT_GT(kinetic, 0);
    EXPECT_LT(std::abs((kinetic + potential) / first - 1), 1e-3);
}

}  // namespace trellis::c_tests
