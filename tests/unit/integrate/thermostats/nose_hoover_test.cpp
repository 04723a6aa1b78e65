#include "trellis/integrate/thermostats/nose_hoover.hpp"

#include <cmath>
#include <utility>

#include "trellis/integrate/leapfrog.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "unit/error_message.hpp"
#include "unit/integrate/thermostats/thermostat_checks.hpp"

namespace trellis::nose_hoover_test {

using namespace fields;

NoseHoover thermostat() { return {0.7, 0.5}; }

// Particles on springs of strength 1 about the origin; the axes are independent.
class Oscillators {
  public:
    Oscillators(ParticleSet particles, const NoseHoover& bath)
        : particles_(std::move(particles)), bath_(bath), comm_(serial_comm()) {
        pull_back();
    }

    void step(double timestep) {
        bath_.act(particles_, 0.5 * timestep, 2 * steps_, *comm_);
        kick_and_drift(particles_, 0.5 * timestep, timestep);
        pull_back();
        kick(particles_, 0.5 * timestep);
        bath_.act(particles_, 0.5 * timestep, 2 * steps_ + 1, *comm_);
        ++steps_;
    }

    // The energy of the particles and the bath.
    double energy() const {
        double springs = 0;
        for (const auto& x : particles_[position]) springs += 0.5 * dot(x, x);
        return kinetic_energy(particles_) + springs + bath_.bath_energy();
    }

    const ParticleSet& particles() const { return particles_; }
    double bath_energy() const { return bath_.bath_energy(); }

  private:
    void pull_back() {
        for (std::size_t row = 0; row < particles_.size(); ++row)
            particles_[acceleration][row] = -particles_[position][row] / particles_[mass][row];
    }

    ParticleSet particles_;
    NoseHoover bath_;
    std::shared_ptr<Comm> comm_;
    std::uint64_t steps_ = 0;
};

// One degree of freedom: the case that a single Nose-Hoover thermostat does not make canonical.
TEST(NoseHoover, a_chain_samples_the_canonical_distribution_of_an_oscillator) {
    std::vector<double> position(4, 0.0), rate(4, 0.0);
    const NoseHooverChain<double> chain{1, 0.7, 1, position, rate};
    constexpr int steps = 400'000;
    constexpr double timestep = 0.1;
    double x = 0, v = 1;  // of mass 2, on a spring of strength 1
    double m_v2 = 0, m2_v4 = 0, x2 = 0, x4 = 0, mixed = 0;
    for (int step = 0; step < steps; ++step) {
        v *= chain.advance(0.5 * timestep, v * v);
        v -= 0.25 * timestep * x;
        x += timestep * v;
        v -= 0.25 * timestep * x;
        v *= chain.advance(0.5 * timestep, v * v);
        m_v2 += 2 * v * v / steps;
        m2_v4 += std::pow(2 * v * v, 2) / steps;
        x2 += x * x / steps;
        x4 += std::pow(x, 4) / steps;
        mixed += 2 * v * v * x * x / steps;
    }
    EXPECT_NEAR(m_v2, 0.7, 0.02);
    EXPECT_NEAR(m2_v4, 3 * 0.49, 0.1);
    EXPECT_NEAR(x2, 0.7, 0.02);
    EXPECT_NEAR(x4, 3 * 0.49, 0.1);
    EXPECT_NEAR(mixed, 0.49, 0.03);
}

TEST(NoseHoover, conserves_energy_together_with_its_bath) {
    Oscillators system(mixed_gas(100), NoseHoover(0.7, 0.5));
    const double start = system.energy();
    double most_in_bath = 0, worst = 0;
    for (int step = 0; step < 5000; ++step) {
        system.step(0.005);
        worst = std::max(worst, std::abs(system.energy() - start));
        most_in_bath = std::max(most_in_bath, std::abs(system.bath_energy()));
    }
    EXPECT_LT(worst, 1e-5 * start);
    EXPECT_GT(most_in_bath, 0.1 * start);  // energy did go to and fro
}

TEST(NoseHoover, errors_fall_with_the_square_of_the_timestep) {
    const auto error = [](double timestep) {
        Oscillators system(mixed_gas(20), NoseHoover(0.7, 0.5));
        const double start = system.energy();
        double worst = 0;
        for (double time = 0; time < 10; time += timestep) {
            system.step(timestep);
            worst = std::max(worst, std::abs(system.energy() - start));
        }
        return worst;
    };
    EXPECT_NEAR(error(0.01) / error(0.005), 4, 0.4);
}

TEST(NoseHoover, brings_particles_to_its_temperature) {
    ParticleSet particles = mixed_gas(1000);
    auto bath = thermostat();
    double mean = 0;
    for (std::uint64_t call = 0; call < 4000; ++call) {
        bath.act(particles, 0.01, call, *serial_comm());
        if (call >= 2000) mean += 2 * kinetic_energy(particles) / (3 * 1000 - 3) / 2000;
    }
    EXPECT_NEAR(mean, 0.7, 0.1);
}

TEST(NoseHoover, keeps_the_motion_of_all_and_directions_beside_it) {
    ParticleSet particles = mixed_gas(10);
    for (auto& v : particles[velocity]) v += Vec3<double>{100, 0, 0};
    const auto drift_of = [](const ParticleSet& of) {
        double weight = 0;
        for (const double m : of[mass]) weight += m;
        return momentum(of) / weight;
    };
    const Vec3<double> drift = drift_of(particles);
    const std::vector<Vec3<double>> before(particles[velocity].begin(), particles[velocity].end());
    thermostat().act(particles, 0.1, 0, *serial_comm());
    const double factor = (particles[velocity][0].y - drift.y) / (before[0].y - drift.y);
    EXPECT_LT(factor, 1);    // the particles were hot
    EXPECT_GT(factor, 0.5);  // but for their common motion
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(drift_of(particles)[axis], drift[axis], 1e-12);
        for (std::size_t row = 0; row < 10; ++row)
            EXPECT_NEAR(particles[velocity][row][axis] - drift[axis], factor * (before[row][axis] - drift[axis]),
                        1e-11);
    }
}

TEST(NoseHoover, has_the_same_bits_for_any_ranks_and_threads) { check_same_bits_for_any_ranks_and_threads(thermostat); }
TEST(NoseHoover, goes_on_from_its_state_bit_for_bit) { check_goes_on_from_its_state(thermostat); }

TEST(NoseHoover, says_what_is_allowed) {
    EXPECT_EQ(message_of([] { NoseHoover(0, 1); }), "the temperature of a thermostat is 0: allowed is above 0");
    EXPECT_EQ(message_of([] { NoseHoover(1, -2); }), "the relaxation time of a thermostat is -2: allowed is above 0");
    EXPECT_EQ(message_of([] { NoseHoover(1, 1, 0); }), "the chain of a thermostat has 0 members: allowed is 1 or more");
    EXPECT_EQ(message_of([] { thermostat().restore(std::vector<double>{1, 2}); }),
              "the state of a Nose-Hoover thermostat has 2 numbers, but with a chain of 3 must have 7");
    ParticleSet hot = mixed_gas(1000);
    EXPECT_THROW(NoseHoover(1e-3, 1e-3).act(hot, 0.1, 0, *serial_comm()), RunError);
    ParticleSet one(1);
    EXPECT_EQ(message_of([&] { thermostat().act(one, 1, 0, *serial_comm()); }),
              "a thermostat that scales velocities relative to their centre of mass has 1 particle: allowed is 2 or"
              " more; Langevin takes any");
    ParticleSet tube(2);
    tube.set_region({{0, -Region::infinity, -Region::infinity}, {1, Region::infinity, Region::infinity}});
    EXPECT_NE(message_of([&] { thermostat().check(tube, *serial_comm()); }).find("allowed there are Langevin"),
              std::string::npos);
    tube.set_region({{0, 0, -Region::infinity}, {1, 1, Region::infinity}});
    thermostat().check(tube, *serial_comm());
}

}  // namespace trellis::nose_hoover_test
