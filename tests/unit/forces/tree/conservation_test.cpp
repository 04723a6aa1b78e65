// Laws that a pair force must satisfy whatever the approximation.
#include <gtest/gtest.h>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis::conservation_test {

using namespace fields;

constexpr double softening = 0.05;

// The relative change of momentum, |sum m a| / sum m |a|.
double momentum_change(const ForceSettings& settings) {
    ParticleSet particles = models::plummer(3000, 1);
    compute(*gravity(softening, 1, settings), particles);
    Vec3<double> sum{0, 0, 0};
    double sizes = 0;
    for (std::size_t row = 0; row < particles.size(); ++row) {
        sum += particles[mass][row] * particles[acceleration][row];
        sizes += particles[mass][row] * norm(particles[acceleration][row]);
    }
    return norm(sum) / sizes;
}

TEST(Momentum, is_conserved_to_rounding_by_direct_summation) {
    for (const Method method : {Method::tree, Method::fmm}) {
        EXPECT_LT(momentum_change({.theta = 1e-9, .method = method, .precision = Precision::double_}), 1e-15);
        EXPECT_LT(momentum_change({.theta = 1e-9, .method = method, .precision = Precision::single_}), 1e-7);
    }
}

TEST(Momentum, is_conserved_better_than_each_force_is_known) {
    EXPECT_LT(momentum_change({.theta = 0.5, .method = Method::tree, .order = 1}), 1e-3);
    EXPECT_LT(momentum_change({.theta = 0.5, .method = Method::tree, .order = 2}), 1e-4);
    EXPECT_LT(momentum_change({.accuracy = 1e-3}), 1e-4);
    EXPECT_LT(momentum_change({.accuracy = 1e-4}), 1e-5);
}

// EXPECTs that the acceleration of a massless particle moved along a line through other particles is minus the slope of
// its potential.
void expect_gradient(const ForceSettings& settings, double tolerance) {
    const auto force = gravity(softening, 1, settings);
    const auto at = [&](const Vec3<double>& place) {
        ParticleSet particles = models::plummer(500, 3);
        particles[mass][0] = 0;
        particles[position][0] = place;
        compute(*force, particles);
        return Exact{particles[acceleration][0], particles[potential][0]};
    };
    const double step = 1e-3;
    for (const Vec3<double>& place : {Vec3<double>{0.1, 0.2, -0.1}, {1.5, -0.7, 0.3}, {-3, 4, 5}}) {
        const Vec3<double> a = at(place).acceleration;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Vec3<double> above = place, below = place;
            above[axis] += step;
            below[axis] -= step;
            EXPECT_NEAR(a[axis], -(at(above).potential - at(below).potential) / (2 * step), tolerance * norm(a));
        }
    }
}

TEST(Potential, has_the_acceleration_for_its_slope) {
    for (const Method method : {Method::tree, Method::fmm})
        expect_gradient({.theta = 1e-9, .method = method, .precision = Precision::double_}, 1e-4);
    expect_gradient({.theta = 0.4, .method = Method::fmm, .order = 5, .precision = Precision::double_}, 1e-2);
}

TEST(Potential, of_two_bodies_is_that_of_plummer) {
    ParticleSet particles(2);
    particles[position][1] = {3, 0, 4};
    particles[mass][0] = 2;
    particles[mass][1] = 5;
    compute(*gravity(12, 10), particles);
    EXPECT_NEAR(particles[potential][0], -10 * 5 / 13.0, 1e-6);
    EXPECT_NEAR(particles[potential][1], -10 * 2 / 13.0, 1e-6);
    EXPECT_NEAR(particles[acceleration][0].x, 10 * 5 * 3 / 2197.0, 1e-7);
    EXPECT_NEAR(particles[acceleration][1].z, -10 * 2 * 4 / 2197.0, 1e-7);
}

TEST(Work, counts_every_pair_of_direct_summation) {
    ParticleSet particles = models::plummer(300, 1);
    const Work work = compute(*gravity(0.1, 1, {.theta = 1e-9, .method = Method::tree}), particles);
    EXPECT_EQ(work.pairs, 300U * 299U);
    EXPECT_EQ(work.expansions, 0U);
}

TEST(Work, is_far_less_than_direct_summation) {
    ParticleSet particles = models::uniform_sphere(20'000, 1);
    const Work work = compute(*gravity(0.01, 1, {.accuracy = 1e-2}), particles);
    EXPECT_LT(work.pairs, 20'000U * 20'000U / 10);
    EXPECT_GT(work.expansions, 0U);
}

}  // namespace trellis::conservation_test
