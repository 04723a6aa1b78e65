// Simulations in expanding space. The oracle is Newton's: what moves in comoving coordinates moves in physical ones as
// it does where space does not expand, pushed outwards by dark energy.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "trellis/forces/external/built_in_fields.hpp"
#include "trellis/forces/external/compiled_field.hpp"
#include "trellis/forces/external/external_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/integrate/comoving/growth.hpp"
#include "trellis/integrate/comoving/quadrature.hpp"
#include "trellis/integrate/thermostats/langevin.hpp"
#include "unit/error_message.hpp"
#include "unit/run/moving_particles.hpp"
#include "unit/run/plain_force.hpp"
#include "unit/run/two_bodies.hpp"
#include "unit/with_threads.hpp"

namespace trellis::expanding_test {
namespace {

using external::MeanDensity;

const Cosmology einstein_de_sitter{.omega_m = 1, .H0 = 0.1};
const Cosmology lambda{.omega_m = 0.3, .H0 = 0.2};

// A run from a scale factor on, under gravity in open space.
std::unique_ptr<Simulation> expanding(const std::shared_ptr<ParticleSet>& particles, const Cosmology& cosmology,
                                      double begin, std::optional<double> log_step, double softening = 0) {
    auto sim = std::make_unique<Simulation>(particles, std::nullopt);
    sim->set_expansion(Expansion(cosmology, log_step));
    sim->set_time(begin);
    sim->add_force(gravity(softening, 1, {.accuracy = 1e-6, .precision = Precision::double_}));
    sim->add_force(std::make_unique<ExternalForce>(external_field(MeanDensity{.density = cosmology.mean_density(1)})));
    return sim;
}

// From physical coordinates to comoving ones, and back.
void to_comoving(ParticleSet& particles, const Cosmology& cosmology, double a) {
    for (std::size_t k = 0; k < particles.size(); ++k) {
        const Vec3<double> r = particles[position][k], v = particles[velocity][k];
        particles[position][k] = r / a;
        particles[velocity][k] = a * (v - cosmology.hubble(a) * r);
    }
}

constexpr double begin = 0.7;

// The separation of two bodies at a = 1, which start at their largest distance at a = 0.7.
Vec3<double> separation_today(const Cosmology& cosmology, double log_step) {
    TwoBodies bodies(0.1, 1);
    to_comoving(*bodies.particles, cosmology, begin);
    expanding(bodies.particles, cosmology, begin, log_step)->run_until(1);
    return bodies.separation();
}

// The same by r'' = -G M r / r^3 + omega_lambda H0^2 r.
Vec3<double> newtons_separation(const Cosmology& cosmology) {
    const TwoBodies bodies(0.1, 1);
    const double outwards = cosmology.dark_energy() * cosmology.H0 * cosmology.H0;
    const auto rate = [&](double, const std::array<double, 6>& now) {
        const Vec3<double> r{now[0], now[1], now[2]};
        const Vec3<double> pull = (outwards - TwoBodies::masses / std::pow(dot(r, r), 1.5)) * r;
        return std::array{now[3], now[4], now[5], pull.x, pull.y, pull.z};
    };
    const Vec3<double> r = bodies.separation(), v = bodies.relative_velocity();
    std::array<double, 6> now{r.x, r.y, r.z, v.x, v.y, v.z};
    const double time = cosmology.time(1) - cosmology.time(begin);
    for (int step = 0; step < 200; ++step) now = extrapolated_step(rate, 0, now, time / 200);
    return {now[0], now[1], now[2]};
}

TEST(Expanding, two_bodies_follow_newton_to_second_order) {
    for (const Cosmology& cosmology : {einstein_de_sitter, lambda}) {
        const Vec3<double> right = newtons_separation(cosmology);
        const auto error = [&](double log_step) {
            const Vec3<double> off = with_threads(1, [&] { return separation_today(cosmology, log_step); }) - right;
            return std::sqrt(dot(off, off));
        };
        const double coarse = error(2e-3), fine = error(1e-3);
        EXPECT_LT(fine, 2e-3);
        EXPECT_NEAR(coarse / fine, 4, 0.2) << cosmology.omega_m;
    }
}

// The pull of waves that have not broken: 3/2 omega_m H0^2 times the displacement, here the place itself.
class PlaneWaves final : public PlainForce {
  public:
    explicit PlaneWaves(const Cosmology& cosmology) : pull_(1.5 * cosmology.omega_m * cosmology.H0 * cosmology.H0) {}
    Work retrieve(ParticleSet& particles, Phases&) override {
        for (std::size_t k = 0; k < particles.size(); ++k)
            particles[acceleration][k] = pull_ * std::as_const(particles)[position][k];
        return {};
    }

  private:
    double pull_;
};

TEST(Expanding, displacements_grow_by_the_linear_factor_to_second_order) {
    const Cosmology all{.omega_m = 0.3, .omega_lambda = 0.6, .omega_r = 1e-4, .w0 = -0.9, .wa = 0.2, .H0 = 0.1};
    const Growth early = growth(all, 0.01), today = growth(all, 1);
    const auto error = [&](double log_step) {
        const auto particles = std::make_shared<ParticleSet>(1);
        (*particles)[position][0] = {1, 0, 0};
        (*particles)[velocity][0] = {1e-4 * all.hubble(0.01) * early.f1, 0, 0};  // p = a^2 H f x
        Simulation sim(particles, std::nullopt);
        sim.set_expansion(Expansion(all, log_step));
        sim.set_time(0.01);
        sim.add_force(std::make_unique<PlaneWaves>(all));
        sim.run_until(1);
        return (*particles)[position][0].x * early.D1 / today.D1 - 1;
    };
    const double coarse = error(0.04), fine = error(0.02);
    EXPECT_LT(std::abs(fine), 1e-3);
    EXPECT_NEAR(coarse / fine, 4, 0.2);
}

TEST(Expanding, free_particles_move_by_momentum_times_the_drift_factor) {
    const auto particles = moving_plummer(100);
    const auto before = copy_of(*particles);
    Simulation sim(particles, std::nullopt);
    sim.set_expansion(Expansion(lambda, 0.05));
    sim.set_time(0.02);
    sim.keep_order(true);
    sim.run_until(1);
    const double drift = lambda.drift_factor(0.02, 1);
    for (std::size_t k = 0; k < 100; ++k) {
        const Vec3<double> moved = (*before)[position][k] + drift * (*before)[velocity][k];
        const Vec3<double> off = (*particles)[position][k] - moved;
        EXPECT_LT(std::sqrt(dot(off, off)), 1e-12 * drift);
        EXPECT_EQ((*particles)[velocity][k], (*before)[velocity][k]);
    }
}

TEST(Expanding, steps_are_even_in_the_logarithm_and_reach_their_ends) {
    Simulation sim(moving_plummer(10), std::nullopt);
    sim.set_expansion(Expansion(einstein_de_sitter, std::log(50.0) / 100));
    sim.set_time(0.02);
    double before = sim.time();
    while (!sim.reached(1)) {
        sim.step(1);
        EXPECT_NEAR(std::log(sim.time() / before), std::log(50.0) / 100, 1e-12);
        EXPECT_EQ(sim.timestep(), sim.time() - before);
        before = sim.time();
    }
    EXPECT_EQ(sim.step_count(), 100U);
    EXPECT_EQ(sim.time(), 1);
    sim.run_until(1.1);  // in three steps of at most 0.0391
    EXPECT_EQ(sim.step_count(), 103U);
    EXPECT_EQ(sim.time(), 1.1);
}

// sqrt(2 eta epsilon / g) of physical lengths, over the Hubble time; and 0.03 at most.
TEST(Expanding, chosen_steps_follow_the_physical_acceleration) {
    const auto particles = std::make_shared<ParticleSet>(2);
    (*particles)[mass][0] = (*particles)[mass][1] = 1;
    (*particles)[position][0] = {0.01, 0, 0};
    (*particles)[position][1] = {-0.01, 0, 0};
    const double a = 0.25, softening = 1e-3;
    const auto sim = expanding(particles, einstein_de_sitter, a, std::nullopt, softening);
    sim->step();
    const double physical = 1 / (0.02 * 0.02 * a * a);  // acceleration, but for the softening
    const double newtons = std::sqrt(2 * 0.025 * softening * a / physical);
    EXPECT_NEAR(sim->step_allowed() / (einstein_de_sitter.hubble(a) * newtons), 1, 0.01);

    const auto wide = expanding(moving_plummer(10), einstein_de_sitter, a, std::nullopt, 10.0);
    wide->step();
    EXPECT_DOUBLE_EQ(wide->step_allowed(), 0.03);
}

// Layzer and Irvine's balance, and its order.
TEST(Expanding, keeps_the_energy_balance) {
    const auto change = [](double log_step) {
        const auto particles = moving_plummer(300);
        const auto sim = expanding(particles, lambda, 0.3, log_step, 0.2);
        const auto balance = [&] {
            return kinetic_energy(*particles) / sim->time() + potential_energy(*particles) +
                   external_energy(*particles) + sim->expansion_work();
        };
        sim->ensure_forces();
        const double before = balance();
        sim->run_until(1);
        EXPECT_GT(sim->expansion_work(), 0.1 * std::abs(potential_energy(*particles)));
        return std::abs((balance() - before) / potential_energy(*particles));
    };
    const double coarse = change(0.02), fine = change(0.01);
    EXPECT_LT(fine, 1e-3);
    EXPECT_NEAR(coarse / fine, 4, 0.5);
}

TEST(Expanding, resumed_it_goes_on_bit_for_bit) {
    const auto unbroken = moving_plummer(200);
    const auto whole = expanding(unbroken, lambda, 0.3, std::nullopt, 0.05);
    whole->run_steps(5);
    const auto kept = copy_of(*unbroken);
    const auto resumed = expanding(kept, lambda, 0.3, std::nullopt, 0.05);
    resumed->set_expansion(Expansion(lambda), whole->expansion_work());
    resumed->resume(whole->time(), 5, {}, {}, whole->step_allowed());
    for (const auto& sim : {whole.get(), resumed.get()}) sim->run_until(0.5);
    EXPECT_EQ(resumed->time(), whole->time());
    EXPECT_EQ(resumed->step_count(), whole->step_count());
    EXPECT_EQ(resumed->expansion_work(), whole->expansion_work());
    expect_same_bits(*kept, *unbroken);
}

TEST(Expanding, refuses_settings_that_it_has_no_equations_for) {
    Simulation fixed(moving_plummer(10), 0.1);
    EXPECT_EQ(message_of([&] { fixed.set_expansion(Expansion(lambda)); }),
              "timestep is 0.1, but space expands: allowed are steps of a length in ln a");
    Simulation sim(moving_plummer(10), std::nullopt);
    sim.set_expansion(Expansion(lambda));
    EXPECT_EQ(message_of([&] { sim.set_thermostat(std::make_unique<Langevin>(1, 1, 1)); }),
              "a thermostat is given, but space expands: allowed is no thermostat");
    EXPECT_EQ(message_of([] { Expansion(lambda, 0.0); }), "log_step is 0: allowed is above 0");
}

TEST(Expanding, refuses_a_gas_also_of_one_temperature) {
    const std::pair<EquationOfState, const char*> gases[] = {
        {IdealGas(), "'internal_energy' evolves, but space expands: allowed are forces that change velocities alone"},
        {IsothermalGas{1}, "a gas is given, but space expands: allowed are forces that are no gas"}};
    for (const auto& [gas, message] : gases) {
        SphSettings settings;
        settings.gas = gas;
        const auto particles = moving_plummer(10);
        particles->add(internal_energy);
        Simulation before(particles, std::nullopt);
        before.add_force(std::make_shared<SphForce>(settings));
        EXPECT_EQ(message_of([&] { before.set_expansion(Expansion(lambda)); }), message);
        Simulation after(moving_plummer(10), std::nullopt);
        after.set_expansion(Expansion(lambda));
        EXPECT_EQ(message_of([&] { after.add_force(std::make_shared<SphForce>(settings)); }), message);
    }
}

}  // namespace
}  // namespace trellis::expanding_test
