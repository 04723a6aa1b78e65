#include "trellis/forces/gravity/gravity_with_tides.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/gravity/tides.hpp"
#include "unit/particle_models.hpp"

namespace trellis::gravity_with_tides_test {

using namespace fields;

std::unique_ptr<Force> limited_gravity(double softening) {
    return std::make_unique<GravityWithTides>(gravity(softening), softening, 1);
}

void compute_all(Force& force, ParticleSet& particles) {
    Phases phases;
    force.attach(particles, 0);
    force.dispatch(particles, {}, phases);
    force.retrieve(particles, phases);
}

TEST(GravityWithTides, has_the_tensor_of_direct_sums_to_some_per_cent) {
    ParticleSet particles = models::plummer(2000, 1);
    const auto force = limited_gravity(0.05);
    compute_all(*force, particles);
    ASSERT_EQ(force->results().size(), 4U);
    double difference2 = 0, whole2 = 0;
    for (std::uint32_t row = 0; row < 2000; row += 20) {
        std::array<double, 10> exact{};
        force->reference(particles, particles, row, row, 0, exact.data());
        const Vec3<double> diagonal{exact[4], exact[5], exact[6]}, beside{exact[7], exact[8], exact[9]};
        const Vec3<double> d = particles[tides_diagonal][row] - diagonal, b = particles[tides_beside][row] - beside;
        difference2 += dot(d, d) + 2 * dot(b, b);
        whole2 += dot(diagonal, diagonal) + 2 * dot(beside, beside);
        const Vec3<double> pull = particles[acceleration][row] - Vec3<double>{exact[0], exact[1], exact[2]};
        EXPECT_LT(std::sqrt(dot(pull, pull)), 0.02);
    }
    EXPECT_LT(std::sqrt(difference2 / whole2), 0.05);
}

TEST(GravityWithTides, is_minus_the_second_derivative_of_the_potential) {
    ParticleSet pair(2);
    pair[mass][0] = 2;
    pair[mass][1] = 0;
    const Vec3<double> at{0.3, -0.2, 0.5};
    const auto acceleration_at = [&](const Vec3<double>& place) {
        const double s2 = dot(place, place) + 0.01;
        return (-2 / (s2 * std::sqrt(s2))) * place;
    };
    pair[position][1] = at;
    compute_all(*limited_gravity(0.1), pair);
    const std::size_t row = 1;
    const double h = 1e-5;
    const auto derivative = [&](const Vec3<double>& way) {
        return (0.5 / h) * (acceleration_at(at + h * way) - acceleration_at(at - h * way));
    };
    const Vec3<double> x = derivative({1, 0, 0}), y = derivative({0, 1, 0}), z = derivative({0, 0, 1});
    EXPECT_NEAR(pair[tides_diagonal][row].x, x.x, 1e-5);
    EXPECT_NEAR(pair[tides_diagonal][row].y, y.y, 1e-5);
    EXPECT_NEAR(pair[tides_diagonal][row].z, z.z, 1e-5);
    EXPECT_NEAR(pair[tides_beside][row].x, x.y, 1e-5);
    EXPECT_NEAR(pair[tides_beside][row].y, y.z, 1e-5);
    EXPECT_NEAR(pair[tides_beside][row].z, z.x, 1e-5);
}

TEST(GravityWithTides, allows_a_share_of_an_orbit_without_a_softening) {
    ParticleSet pair(2);
    pair[mass][0] = 4;
    pair[mass][1] = 1e-12;
    pair[position][1] = {0.5, 0, 0};
    const auto force = limited_gravity(0);
    compute_all(*force, pair);
    std::array<double, 2> steps{1e9, 1e9};
    force->allowed_steps(pair, 0, {}, steps);
    EXPECT_NEAR(steps[1], std::sqrt(2 * 0.025) * std::sqrt(0.125 / 4), 1e-6);
    EXPECT_GT(steps[0], 1e4);
}

}  // namespace trellis::gravity_with_tides_test
