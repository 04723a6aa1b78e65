// Fields as forces in a simulation: a user's own ones, and what a simulation conserves in the built-in ones.
#include "trellis/forces/external/external_force.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/compile.hpp"
#include "trellis/forces/external/built_in_fields.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "unit/error_message.hpp"
#include "unit/particle_models.hpp"
#include "unit/run/simulation_on_ranks.hpp"
#include "unit/with_threads.hpp"

namespace trellis::external_force_test {

using namespace fields;
namespace built_in = trellis::external;

double energy(const ParticleSet& particles) {
    return kinetic_energy(particles) + potential_energy(particles) + external_energy(particles);
}

ParticleSet stars(std::size_t size) {
    ParticleSet particles = models::plummer(size, 1);
    models::Random random(2);
    for (auto& v : particles[velocity]) v = 0.7 * random.direction();
    return particles;
}

// Particles that do not act on each other, in a field.
template <class Field>
Simulation orbits(const Field& field, const ParticleSet& start, double timestep) {
    auto particles = std::make_shared<ParticleSet>(start.size());
    for (std::size_t row = 0; row < start.size(); ++row) {
        (*particles)[position][row] = start[position][row];
        (*particles)[velocity][row] = start[velocity][row];
        (*particles)[mass][row] = start[mass][row];
    }
    Simulation sim(particles, timestep);
    sim.keep_order(true);
    sim.add_force(external_force(field));
    return sim;
}

struct Friction {
    using Target = Fields<Position, Velocity>;
    using Result = Fields<Acceleration>;
    double rate;
    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
        if (i[position].x > 0) sum[acceleration] -= rate * i[velocity];
    }
};

// It grows with time, and is not a number beyond 1.
struct Growing {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration, ExternalPotential>;
    double now = 0;
    Growing at(double time) const { return {time}; }
    TRELLIS_HOST_DEVICE void operator()(const auto& i, auto& sum) const {
        sum[acceleration].x += now;
        sum[external_potential] -= now * i[position].x;
        if (now > 1) sum[external_potential] = std::log(-1.0);
    }
};

TEST(ExternalForce, conserves_energy_in_every_static_field) {
    const ParticleSet start = stars(200);
    const auto drift_of = [&](const auto& field, double timestep) {
        Simulation sim = orbits(field, start, timestep);
        sim.ensure_forces();
        const double before = energy(sim.particles());
        sim.run_until(2);
        return std::abs(energy(sim.particles()) / before - 1);
    };
    const auto check = [&](const auto& field) {
        const double coarse = drift_of(field, 0.01), fine = drift_of(field, 0.0025);
        EXPECT_LT(coarse, 2e-4);
        EXPECT_LT(fine, 0.1 * coarse + 1e-12) << "the error of a leapfrog falls by 16";
    };
    check(built_in::UniformField{.acceleration = {0.1, 0, -0.2}});
    check(built_in::HarmonicTrap{.frequency = {1, 2, 0.5}});
    check(built_in::Plummer{.mass = 1, .scale_radius = 0.5});
    check(built_in::Nfw{.mass = 2, .scale_radius = 1});
    check(built_in::LogarithmicHalo{.speed = 1, .core_radius = 0.3, .flattening = 0.8});
    check(built_in::MiyamotoNagai{.mass = 1, .scale_length = 0.5, .scale_height = 0.2});
}

TEST(ExternalForce, of_a_bar_conserves_jacobis_integral_and_not_energy) {
    const built_in::RotatingBar bar{
        .mass = 1, .half_length = 1, .width = 0.2, .thickness = 0.1, .pattern_speed = 0.8, .angle = 0.3};
    Simulation sim = orbits(bar, stars(200), 0.002);
    const auto jacobi = [&](std::size_t row) {
        const ParticleSet& p = sim.particles();
        return 0.5 * dot(p[velocity][row], p[velocity][row]) + p[external_potential][row] -
               bar.pattern_speed * cross(p[position][row], p[velocity][row]).z;
    };
    sim.ensure_forces();
    std::vector<double> before(200);
    for (std::size_t row = 0; row < 200; ++row) before[row] = jacobi(row);
    const double energy_before = energy(sim.particles());
    sim.run_until(2);
    double worst = 0;
    for (std::size_t row = 0; row < 200; ++row) worst = std::max(worst, std::abs(jacobi(row) - before[row]));
    EXPECT_LT(worst, 1e-3);
    EXPECT_GT(std::abs(energy(sim.particles()) - energy_before), 3e-3);
}

TEST(ExternalForce, of_a_point_mass_makes_circles) {
    ParticleSet start(1);
    start[position][0] = {2, 0, 0};
    start[velocity][0] = {0, std::sqrt(3.0 / 2), 0};
    const double period = 2 * std::acos(-1.0) * std::sqrt(8.0 / 3);
    Simulation sim = orbits(built_in::PointMass{.mass = 1, .G = 3}, start, period / 1000);
    sim.run_until(period);
    const Vec3<double> off = sim.particles()[position][0] - start[position][0];
    EXPECT_LT(std::sqrt(dot(off, off)), 1e-3);
    EXPECT_EQ(sim.particles()[mass][0], 0) << "a test particle has no mass";
    EXPECT_EQ(energy(sim.particles()), 0);
}

TEST(ExternalForce, adds_to_gravity_and_counts_in_full) {
    auto together = std::make_shared<ParticleSet>(stars(300)), alone = std::make_shared<ParticleSet>(stars(300));
    Simulation both(together, 0.01), gravity_alone(alone, 0.01);
    for (Simulation* sim : {&both, &gravity_alone}) {
        sim->keep_order(true);
        sim->add_force(gravity(0.1, 1, {.theta = 0.5}));
    }
    both.add_force(external_force(built_in::UniformField{.acceleration = {0, 0, -2}}));
    both.add_force(external_force(built_in::UniformField{.acceleration = {1, 0, 0}}));
    both.ensure_forces();
    gravity_alone.ensure_forces();
    double expected = 0;
    for (std::size_t row = 0; row < 300; ++row) {
        const auto more = (*together)[acceleration][row] - (*alone)[acceleration][row];
        EXPECT_NEAR(more.x, 1, 1e-12);
        EXPECT_NEAR(more.z, -2, 1e-12);
        const auto x = (*together)[position][row];
        EXPECT_DOUBLE_EQ((*together)[external_potential][row], 2 * x.z - x.x);
        expected += (*together)[mass][row] * (2 * x.z - x.x);
    }
    EXPECT_EQ(potential_energy(*together), potential_energy(*alone));
    EXPECT_NEAR(external_energy(*together), expected, 1e-14);
    EXPECT_EQ(external_energy(*alone), 0);
    EXPECT_LT(both.force_error(100, 1).rms, 1e-2);
}

TEST(ExternalForce, has_no_error_against_the_oracle_at_its_time) {
    Simulation sim = orbits(Growing(), stars(100), 0.1);
    sim.run_steps(3);
    EXPECT_EQ(sim.force_error(100, 1).maximum, 0);
    EXPECT_NEAR(sim.particles()[acceleration][0].x, 0.3, 1e-15);
}

// Velocities that a field reads are those at the time of the positions: a velocity of half a step before would make the
// error one of first order.
TEST(ExternalForce, reads_velocities_at_the_time_of_the_positions) {
    ParticleSet start(2);
    start[position][0] = {1, 0, 0};
    start[position][1] = {-1, 0, 0};
    for (std::size_t row = 0; row < 2; ++row) start[velocity][row] = {0, 1, 0};
    const auto slowed = [&](double timestep) {
        Simulation sim = orbits(Friction{.rate = 1}, start, timestep);
        sim.run_until(1);
        EXPECT_EQ(sim.particles()[velocity][1].y, 1) << "no friction where x < 0";
        const double error = sim.force_error(2, 1).maximum;
        EXPECT_GT(error, 0) << "velocities were predicted";
        EXPECT_LT(error, 1e-3) << "of the whole acceleration, since no other force acts";
        return sim.particles()[velocity][0].y - std::exp(-1.0);
    };
    EXPECT_LT(std::abs(slowed(0.01)), 1e-4) << "of second order";
    EXPECT_NEAR(slowed(0.02) / slowed(0.01), 4, 0.3);
}

TEST(ExternalForce, that_is_not_finite_names_particle_and_place) {
    Simulation sim = orbits(Growing(), stars(5), 0.5);
    sim.run_steps(2);
    EXPECT_NE(message_of([&] { sim.step(); }).find("an external field is not finite at ("), std::string::npos);
    EXPECT_NE(message_of([&] { sim.step(); }).find("time 1.5, where the particle of id 0 is"), std::string::npos);
}

// Lists that are kept let particles leave the box for some steps.
TEST(ExternalForce, acts_on_the_image_within_a_periodic_box) {
    ParticleSet outside(1);
    outside.set_region({{-1, -Region::infinity, -Region::infinity}, {1, Region::infinity, Region::infinity}});
    outside[position][0] = {1.25, 3, 0};
    double values[4];
    external_field(built_in::HarmonicTrap{.frequency = {1, 1, 0}})->evaluate({outside, 0, 1, 0}, values);
    EXPECT_EQ(values[0], 0.75);
    EXPECT_EQ(values[1], -3);
}

TEST(ExternalForce, has_the_same_bits_on_any_number_of_ranks_and_threads) {
    const MakeForces forces = [] {
        std::vector<std::shared_ptr<Force>> all;
        all.push_back(external_force(built_in::Nfw{.mass = 2, .scale_radius = 1}));
        all.push_back(external_force(
            built_in::RotatingBar{.mass = 1, .half_length = 1, .width = 0.2, .thickness = 0.1, .pattern_speed = 0.8}));
        return all;
    };
    const ParticleSet start = stars(3000);
    const auto alone = with_threads(1, [&] { return run_on_ranks(1, start, forces, 20); });
    const auto on_three = with_threads(2, [&] { return run_on_ranks(3, start, forces, 20); });
    for (std::size_t row = 0; row < start.size(); ++row) {
        ASSERT_EQ((*alone)[position][row], (*on_three)[position][row]);
        ASSERT_EQ((*alone)[external_potential][row], (*on_three)[external_potential][row]);
    }
}

}  // namespace trellis::external_force_test
