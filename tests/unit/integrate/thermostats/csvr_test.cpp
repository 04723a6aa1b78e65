#include "trellis/integrate/thermostats/csvr.hpp"

#include <cmath>
#include <string>

#include "trellis/integrate/thermostats/velocity_rescaling.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "unit/error_message.hpp"
#include "unit/integrate/thermostats/thermostat_checks.hpp"

namespace trellis::csvr_test {

using namespace fields;

Csvr thermostat() { return {0.7, 0.5, 11}; }

// Mean n and variance 2 n, of 20,000 draws.
TEST(Csvr, sums_of_squares_have_their_distribution) {
    for (const double n : {1.0, 2.0, 3.0, 38.0}) {
        constexpr int draws = 20'000;
        double mean = 0, square = 0;
        for (std::uint64_t call = 0; call < draws; ++call) {
            const double sum = sum_of_squares(n, 5, call);
            mean += sum / draws;
            square += sum * sum / draws;
        }
        EXPECT_NEAR(mean, n, 4 * std::sqrt(2 * n / draws));
        EXPECT_NEAR(square - mean * mean, 2 * n, 0.1 * 2 * n);
    }
}

// Without forces the kinetic energy itself follows the equation: of 3 N - 3 = 9 degrees of freedom it has the mean
// 4.5 kT and the variance 4.5 (kT)^2, and forgets itself with the relaxation time.
TEST(Csvr, the_kinetic_energy_is_canonical) {
    ParticleSet particles = mixed_gas(4);
    const Vec3<double> drift = momentum(particles);
    auto bath = thermostat();
    constexpr int steps = 100'000;
    double mean = 0, square = 0, product = 0, before = 0;
    for (std::uint64_t call = 0; call < steps; ++call) {
        bath.act(particles, 0.25, call, *serial_comm());
        const double kinetic = kinetic_energy(particles) - drift_energy(*serial_comm(), particles);
        mean += kinetic / steps;
        square += kinetic * kinetic / steps;
        product += kinetic * before / steps;
        before = kinetic;
    }
    EXPECT_NEAR(mean, 4.5 * 0.7, 0.05);
    EXPECT_NEAR(square - mean * mean, 4.5 * 0.49, 0.1);
    EXPECT_NEAR((product - mean * mean) / (square - mean * mean), std::exp(-0.5), 0.03);
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(momentum(particles)[axis], drift[axis], 1e-9);
}

TEST(Csvr, what_particles_lose_the_bath_has) { check_what_particles_lose_the_bath_has(thermostat()); }
TEST(Csvr, has_the_same_bits_for_any_ranks_and_threads) { check_same_bits_for_any_ranks_and_threads(thermostat); }
TEST(Csvr, goes_on_from_its_state_bit_for_bit) { check_goes_on_from_its_state(thermostat); }

TEST(Csvr, says_what_is_allowed) {
    check_what_is_allowed<Csvr>();
    EXPECT_EQ(message_of([] { thermostat().restore(std::vector<double>{1, 2}); }),
              "the state of a Csvr thermostat has 2 numbers, but must have 1");
    ParticleSet pair(2);
    for (double& m : pair[mass]) m = 1;
    pair[position][1] = {1, 0, 0};
    const auto said = [&] { return message_of([&] { thermostat().check(pair, *serial_comm()); }); };
    EXPECT_NE(said().find("all velocities are the same"), std::string::npos);
    pair[velocity][1] = {1, 0, 0};  // along the line between them
    EXPECT_NE(said().find("no angular momentum"), std::string::npos);
    pair[velocity][1] = {1, 0.1, 0};
    thermostat().check(pair, *serial_comm());
}

}  // namespace trellis::csvr_test
