#include "trellis/integrate/thermostats/langevin.hpp"

#include <cmath>

#include "unit/error_message.hpp"
#include "unit/integrate/thermostats/thermostat_checks.hpp"

namespace trellis::langevin_test {

using namespace fields;

Langevin thermostat() { return {0.7, 0.5, 11}; }

struct Moments {
    double mean = 0, square = 0, fourth = 0;  // moments of a component of (v - start) sqrt(m)
};

// Moments over particles at rest but for a common velocity along x, after one call.
Moments moments_after(double time, std::size_t axis) {
    constexpr std::size_t size = 200'000;
    ParticleSet particles(size);
    for (std::size_t row = 0; row < size; ++row) {
        particles[mass][row] = 4;
        particles[velocity][row] = {3, 0, 0};
    }
    thermostat().act(particles, time, 5, *serial_comm());
    Moments moments;
    for (const auto& v : particles[velocity]) moments.mean += v[axis] / size;
    for (const auto& v : particles[velocity]) {
        const double w2 = 4 * std::pow(v[axis] - moments.mean, 2);
        moments.square += w2 / size;
        moments.fourth += w2 * w2 / size;
    }
    return moments;
}

// Standard errors for 200,000 numbers of variance 1: 0.0022 of the mean, 0.0032 of the mean square, 0.022 of the mean
// fourth power.
TEST(Langevin, velocities_are_those_of_an_ornstein_uhlenbeck_process) {
    for (const double time : {0.05, 0.5, 50.0})
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const Moments found = moments_after(time, axis);
            const double variance = 0.7 * (1 - std::exp(-2 * time / 0.5));
            EXPECT_NEAR(found.mean, axis == 0 ? 3 * std::exp(-time / 0.5) : 0, 0.01 * std::sqrt(variance / 4));
            EXPECT_NEAR(found.square, variance, 0.015 * variance);
            EXPECT_NEAR(found.fourth, 3 * variance * variance, 0.1 * variance * variance);
        }
}

TEST(Langevin, noise_of_particles_calls_axes_and_seeds_is_independent) {
    constexpr std::size_t size = 100'000;
    const auto noise = [](std::uint64_t call, std::uint64_t seed) {
        ParticleSet particles(size);
        for (double& m : particles[mass]) m = 1;
        Langevin(1, 1e-3, seed).act(particles, 1, call, *serial_comm());
        return std::vector<Vec3<double>>(particles[velocity].begin(), particles[velocity].end());
    };
    const auto a = noise(0, 1), later = noise(1, 1), other_seed = noise(0, 2), high_seed = noise(0, 1 + (1ULL << 32));
    Vec3<double> axes{0, 0, 0};
    double neighbours = 0, calls = 0, seeds = 0, high_seeds = 0;
    for (std::size_t k = 0; k < size; ++k) {
        axes += Vec3<double>{a[k].x * a[k].y, a[k].y * a[k].z, a[k].z * a[k].x};
        neighbours += a[k].x * a[(k + 1) % size].x;
        calls += a[k].x * later[k].x;
        seeds += a[k].x * other_seed[k].x;
        high_seeds += a[k].x * high_seed[k].x;
    }
    for (const double correlation : {axes.x, axes.y, axes.z, neighbours, calls, seeds, high_seeds})
        EXPECT_LT(std::abs(correlation / size), 0.015);  // standard error 0.0032
}

TEST(Langevin, at_temperature_zero_is_friction) {
    ParticleSet particles = mixed_gas(10);
    const std::vector<Vec3<double>> before(particles[velocity].begin(), particles[velocity].end());
    Langevin(0, 2, 1).act(particles, 0.5, 0, *serial_comm());
    for (std::size_t row = 0; row < 10; ++row) EXPECT_EQ(particles[velocity][row], std::exp(-0.25) * before[row]);
}

TEST(Langevin, what_particles_lose_the_bath_has) { check_what_particles_lose_the_bath_has(thermostat()); }
TEST(Langevin, has_the_same_bits_for_any_ranks_and_threads) { check_same_bits_for_any_ranks_and_threads(thermostat); }
TEST(Langevin, goes_on_from_its_state_bit_for_bit) { check_goes_on_from_its_state(thermostat); }

TEST(Langevin, says_what_is_allowed) {
    check_what_is_allowed<Langevin>();
    EXPECT_EQ(message_of([] { thermostat().restore(std::vector<double>{1, 2}); }),
              "the state of a Langevin thermostat has 2 numbers, but must have 1");
    ParticleSet massless(1);
    EXPECT_THROW(thermostat().act(massless, 1, 0, *serial_comm()), RunError);
}

}  // namespace trellis::langevin_test
