#include "trellis/forces/gravity/tidal_limit.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/tides.hpp"
#include "unit/particle_models.hpp"

namespace trellis::tidal_limit_test {

using namespace fields;

constexpr double G = 2;

std::unique_ptr<TidalLimit> limit(double softening) { return tidal_limit(ComovingSoftening{softening}, G); }

void compute_all(Force& force, ParticleSet& particles, double time = 0) {
    Phases phases;
    force.attach(particles, 0);
    force.dispatch(particles, {.time = time}, phases);
    for (const FieldInfo& field : force.results())
        std::fill_n(particles.column(field.name).values(), 3 * particles.size(), 0.0);
    force.retrieve(particles, phases);
}

struct Tensor {
    Vec3<double> diagonal, beside;

    double square() const { return dot(diagonal, diagonal) + 2 * dot(beside, beside); }
    Tensor operator-(const Tensor& other) const { return {diagonal - other.diagonal, beside - other.beside}; }
};

Tensor tensor_of(const ParticleSet& particles, std::uint32_t row) {
    return {particles[tides_diagonal][row], particles[tides_beside][row]};
}

// By all pairs. softening: of all particles; each has its own where particles have the field.
Tensor direct_tensor(const ParticleSet& particles, std::uint32_t i, double softening) {
    Tensor sum{};
    const bool of_each = particles.has(SofteningLength::name);
    for (std::uint32_t j = 0; j < particles.size(); ++j) {
        if (j == i) continue;
        const Vec3<double> d = particles[position][j] - particles[position][i];
        const double e_i = of_each ? particles[fields::softening][i] : softening;
        const double e_j = of_each ? particles[fields::softening][j] : softening;
        const double s2 = dot(d, d) + (e_i * e_i + e_j * e_j) / 2;
        const double even = G * particles[mass][j] / std::pow(s2, 1.5), along = 3 * even / s2;
        sum.diagonal += Vec3<double>{along * d.x * d.x - even, along * d.y * d.y - even, along * d.z * d.z - even};
        sum.beside += Vec3<double>{along * d.x * d.y, along * d.y * d.z, along * d.z * d.x};
    }
    return sum;
}

// The root mean square error over the root mean square.
double error_of(const ParticleSet& particles, double softening) {
    double difference2 = 0, whole2 = 0;
    for (std::uint32_t row = 0; row < particles.size(); row += 20) {
        const Tensor exact = direct_tensor(particles, row, softening);
        difference2 += (tensor_of(particles, row) - exact).square();
        whole2 += exact.square();
    }
    return std::sqrt(difference2 / whole2);
}

ParticleSet softened_each() {
    ParticleSet particles = models::plummer(2000, 1);
    for (std::size_t row = 0; auto& e : particles.add(fields::softening)) e = row++ % 3 == 0 ? 0.2 : 0.05;
    return particles;
}

TEST(TidalLimit, has_the_tensor_of_direct_sums_to_some_per_cent) {
    ParticleSet particles = models::plummer(2000, 1);
    compute_all(*limit(0.05), particles);
    EXPECT_LT(error_of(particles, 0.05), 0.05);
    EXPECT_GT(error_of(particles, 0.2), 0.05);
}

TEST(TidalLimit, has_the_tensor_of_direct_sums_with_softenings_that_differ) {
    ParticleSet particles = softened_each();
    compute_all(*tidal_limit(SofteningOfEach{}, G), particles);
    EXPECT_LT(error_of(particles, 0), 0.05);
    for (double& e : particles[fields::softening]) e = 0.05;
    EXPECT_GT(error_of(particles, 0), 0.05);
}

TEST(TidalLimit, has_the_tensor_of_a_softening_that_has_become_shorter) {
    ParticleSet particles = models::plummer(2000, 1);
    compute_all(*tidal_limit(ComovingSoftening{0.2, 0.025}, G), particles, 0.5);
    EXPECT_LT(error_of(particles, 0.05), 0.05);
}

TEST(TidalLimit, has_the_tensor_of_the_host_on_a_device) {
    for (const GravitySoftening& softening :
         {GravitySoftening(ComovingSoftening{0.05}), GravitySoftening(SofteningOfEach{})}) {
        ParticleSet host = softened_each(), device = softened_each();
        compute_all(*tidal_limit(softening, G), host);
        compute_all(*tidal_limit(softening, G, open_device("cpu")), device);
        for (std::uint32_t row = 0; row < host.size(); ++row) {
            const Tensor there = tensor_of(device, row), here = tensor_of(host, row);
            EXPECT_LT((there - here).square(), 1e-10 * here.square()) << row;
        }
    }
}

TEST(TidalLimit, is_minus_the_second_derivative_of_the_potential) {
    ParticleSet pair(2);
    pair[mass][0] = 1;
    pair[mass][1] = 0;
    const Vec3<double> at{0.3, -0.2, 0.5};
    const auto acceleration_at = [&](const Vec3<double>& place) {
        const double s2 = dot(place, place) + 0.01;
        return (-G / (s2 * std::sqrt(s2))) * place;
    };
    pair[position][1] = at;
    compute_all(*limit(0.1), pair);
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

TEST(TidalLimit, allows_a_share_of_an_orbit_without_a_softening) {
    ParticleSet pair(2);
    pair[mass][0] = 2;
    pair[mass][1] = 1e-12;
    pair[position][1] = {0.5, 0, 0};
    const auto force = limit(0);
    compute_all(*force, pair);
    std::array<double, 2> steps{1e9, 1e9};
    force->allowed_steps(pair, 0, {}, nullptr, steps);
    EXPECT_NEAR(steps[1], std::sqrt(2 * 0.025) * std::sqrt(0.125 / 4), 1e-6);
    EXPECT_GT(steps[0], 1e4);
}

}  // namespace trellis::tidal_limit_test
