// Fixed particles: they keep their velocity and act on others, in every integrator.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "trellis/forces/external/uniform.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/integrate/comoving/cosmology.hpp"
#include "trellis/integrate/thermostats/langevin.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/ensembles/ensemble_of_atoms.hpp"
#include "unit/error_message.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::fixed_particles_test {

using namespace fields;

constexpr double softening = 0.05;
const ForceSettings settings{.accuracy = 1e-5, .precision = Precision::double_};

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// A tenth of the stars are fixed: half of these at rest, the others on their way.
std::shared_ptr<ParticleSet> stars_among_fixed(std::size_t size) {
    auto stars = moving_plummer(size);
    const auto held = stars->add(fixed);
    for (std::size_t row = 0; row < size; row += 10) {
        held[row] = 1;
        if (row % 20 == 0) (*stars)[velocity][row] = {};
    }
    return stars;
}

// All fixed ones have moved on a straight line in `time`, with forces on them.
void expect_fixed_kept_on(const ParticleSet& start, const ParticleSet& end, double time) {
    for (std::size_t row = 0; row < start.size(); ++row) {
        if (start[fixed][row] == 0) continue;
        ASSERT_EQ(end[velocity][row], start[velocity][row]) << row;
        ASSERT_LT(norm(end[position][row] - start[position][row] - time * start[velocity][row]), 1e-13) << row;
        ASSERT_GT(norm(end[acceleration][row]), 1e-3) << row;
    }
}

using Make = std::function<std::unique_ptr<Simulation>(std::shared_ptr<ParticleSet>)>;

std::unique_ptr<Simulation> in_steps(std::shared_ptr<ParticleSet> stars, std::optional<double> timestep,
                                     std::optional<unsigned> order = {}) {
    auto sim = std::make_unique<Simulation>(std::move(stars), timestep);
    sim->keep_order(true);
    if (order) sim->set_individual_steps(0.01, *order);
    sim->add_force(gravity(softening, 1, settings));
    return sim;
}

class FixedParticles : public testing::TestWithParam<Make> {};
INSTANTIATE_TEST_SUITE_P(
    In, FixedParticles,
    testing::Values([](std::shared_ptr<ParticleSet> stars) { return in_steps(std::move(stars), 1.0 / 256); },
                    [](std::shared_ptr<ParticleSet> stars) { return in_steps(std::move(stars), {}); },
                    [](std::shared_ptr<ParticleSet> stars) { return in_steps(std::move(stars), 1.0 / 16, 2); },
                    [](std::shared_ptr<ParticleSet> stars) { return in_steps(std::move(stars), 1.0 / 16, 4); }));

TEST_P(FixedParticles, keep_their_velocities) {
    const auto stars = stars_among_fixed(300), start = copy_of(*stars);
    const auto sim = GetParam()(stars);
    sim->run_until(0.5);
    expect_fixed_kept_on(*start, *stars, sim->time());
}

TEST_P(FixedParticles, at_rest_conserve_the_energy_of_the_others) {
    const auto stars = stars_among_fixed(300);
    for (std::size_t row = 0; row < 300; row += 10) (*stars)[velocity][row] = {};
    const auto sim = GetParam()(stars);
    const auto energy = [&] { return kinetic_energy(*stars) + potential_energy(*stars); };
    sim->ensure_forces();
    const double before = energy(), kinetic = kinetic_energy(*stars);
    sim->run_until(0.5);
    EXPECT_NEAR(energy(), before, 2e-4 * std::abs(before));
    EXPECT_GT(std::abs(kinetic_energy(*stars) - kinetic), 1e-2 * kinetic);
}

// About a fixed mass, for half a period of a circle, and further than about one that is free.
TEST(FixedParticle, is_a_centre_that_others_go_around_by_each_order) {
    for (const std::optional<unsigned> order : {std::optional<unsigned>{}, {2U}, {4U}}) {
        auto pair = std::make_shared<ParticleSet>(2);
        pair->add(fixed)[0] = 1;
        (*pair)[mass][0] = (*pair)[mass][1] = 1;
        (*pair)[position][1] = {1, 0, 0};
        const double speed = std::pow(1 + softening * softening, -0.75);
        (*pair)[velocity][1] = {0, speed, 0};
        const auto sim = in_steps(pair, 1.0 / 128, order);
        sim->run_until(std::numbers::pi / speed);
        EXPECT_LT(norm((*pair)[position][1] - Vec3<double>{-1, 0, 0}), 1e-3);
        EXPECT_EQ((*pair)[position][0], (Vec3<double>{0, 0, 0}));
    }
}

// The force that it feels does not displace it in the middle of a step.
TEST(FixedParticle, leaves_fourth_order) {
    const auto error = [](double longest) {
        auto pair = std::make_shared<ParticleSet>(2);
        pair->add(fixed)[0] = 1;
        (*pair)[mass][0] = (*pair)[mass][1] = 1;
        (*pair)[position][1] = {1, 0, 0};
        const double speed = std::pow(1 + softening * softening, -0.75);
        (*pair)[velocity][1] = {0, speed, 0};
        Simulation sim(pair, longest);
        sim.set_individual_steps(1e9, 4);
        sim.add_force(gravity(softening, 1, settings));
        sim.run_until(1);
        return norm((*pair)[position][1] - Vec3<double>{std::cos(speed), std::sin(speed), 0});
    };
    EXPECT_GT(error(1.0 / 8), 12 * error(1.0 / 16));
}

// As tight pairs would, if they moved.
TEST(FixedParticle, limits_no_step) {
    const auto most_rung = [](bool held) {
        auto stars = moving_plummer(100);
        const auto is_fixed = stars->add(fixed);
        for (std::size_t row = 0; row < 2; ++row) {
            is_fixed[row] = held ? 1 : 0;
            (*stars)[mass][row] = 1;
            (*stars)[velocity][row] = {};
            (*stars)[position][row] = {100, 0.04 * static_cast<double>(row), 0};
        }
        const auto sim = in_steps(stars, 1.0 / 16, 2);
        sim->run_steps(1);
        return std::max((*stars)[rung][0], (*stars)[rung][1]);
    };
    EXPECT_GT(most_rung(false), 2);
    EXPECT_EQ(most_rung(true), 0);
    const auto longest = [](bool held) {
        auto pair = std::make_shared<ParticleSet>(2);
        (*pair)[mass][0] = 1;
        (*pair)[position][1] = {0.1, 0, 0};
        pair->add(fixed)[1] = held ? 1 : 0;
        return in_steps(pair, {})->longest_step();
    };
    EXPECT_LT(longest(false), 0.1);
    EXPECT_EQ(longest(true), std::numeric_limits<double>::infinity());
}

// Steps are too long for atoms that overlap, unless they stay where they are.
TEST(FixedParticle, may_overlap_others) {
    const auto step = [](bool held) {
        auto atoms = std::make_shared<ParticleSet>(3);
        for (std::size_t row = 0; row < 3; ++row) (*atoms)[mass][row] = 1;
        (*atoms)[position][1] = {0.1, 0, 0};
        (*atoms)[position][2] = {5, 0, 0};
        const auto is_fixed = atoms->add(fixed);
        is_fixed[0] = is_fixed[1] = held ? 1 : 0;
        Simulation sim(atoms, 0.004);
        sim.add_force(lennard_jones(1, 1, 2.5, Truncation::force_shifted));
        sim.step();
    };
    EXPECT_THROW(step(false), RunError);
    EXPECT_NO_THROW(step(true));
}

TEST(FixedParticle, goes_on_ranks_as_alone) {
    const auto start = stars_among_fixed(400);
    const MakeForces forces = [] {
        return std::vector<std::shared_ptr<Force>>{gravity(softening, 1, {.accuracy = 1e-4})};
    };
    const auto end = run_on_ranks(3, *start, forces, 20), alone = run_on_ranks(1, *start, forces, 20);
    expect_fixed_kept_on(*start, *end, 0.2);
    for (std::size_t row = 0; row < start->size(); ++row)
        ASSERT_LT(norm((*end)[position][row] - (*alone)[position][row]), 5e-4) << row;
}

// A gas between fixed layers keeps its energy: these take up heat, and do no work.
TEST(FixedParticle, of_a_gas_takes_up_heat_alone) {
    for (const bool individual : {false, true}) {
        constexpr std::size_t side = 10;
        auto gas = std::make_shared<ParticleSet>(side * side * side);
        const auto u = gas->add(internal_energy), is_fixed = gas->add(fixed);
        gas->set_region({{0, 0, 0}, {1, 1, 1}});
        for (std::size_t row = 0; row < gas->size(); ++row) {
            const auto at = [](std::size_t cell) { return (static_cast<double>(cell % side) + 0.5) / side; };
            (*gas)[position][row] = {at(row), at(row / side), at(row / side / side)};
            (*gas)[mass][row] = 1e-3;
            is_fixed[row] = row / side / side < 3 ? 1 : 0;
            u[row] = row / side / side == 5 ? 3 : 1;
        }
        const auto start = copy_of(*gas);
        Simulation sim(gas, individual ? std::optional<double>(0.02) : std::nullopt);
        sim.keep_order(true);
        if (individual) sim.set_individual_steps(0.025);
        sim.add_force(std::make_shared<SphForce>(SphSettings{}));
        const auto energy = [&] { return kinetic_energy(*gas) + total_internal_energy(*gas); };
        const double before = energy();
        sim.run_until(0.2);
        EXPECT_NEAR(energy(), before, 2e-3 * before);
        EXPECT_GT(kinetic_energy(*gas), 1e-3 * before);
        double heated = 0;
        for (std::size_t row = 0; row < gas->size(); ++row) {
            if (is_fixed[row] == 0) continue;
            ASSERT_EQ((*gas)[velocity][row], (Vec3<double>{}));
            ASSERT_EQ((*gas)[position][row], (*start)[position][row]);
            heated = std::max(heated, std::abs(u[row] - 1));
        }
        EXPECT_GT(heated, 1e-2);
    }
}

TEST(FixedParticle, is_refused_where_all_particles_move) {
    auto atoms = std::make_shared<ParticleSet>(lattice_atoms(216, 3, 1, 1.12));
    atoms->add(fixed)[3] = 1;
    Simulation sim(atoms, 0.002);
    sim.add_force(lennard_jones(1, 1, 1.5, Truncation::force_shifted));
    sim.set_thermostat(std::make_shared<Langevin>(1, 1, 1));
    EXPECT_EQ(message_of([&] { sim.set_barostat({.every = 2, .pressure = 1, .longest_move = 0.1, .seed = 1}); }),
              "a barostat is given, but particles are fixed, whose positions it would scale: allowed is fixed = 0");
    (*atoms)[fixed][3] = 0;
    sim.set_barostat({.every = 2, .pressure = 1, .longest_move = 0.1, .seed = 1});
    const ParticleSet* systems[] = {atoms.get()};
    of_atoms(systems, {&with_langevin, 1});
    (*atoms)[fixed][3] = 1;
    EXPECT_EQ(message_of([&] { of_atoms(systems, {&with_langevin, 1}); }),
              "system 0: particles are fixed, but those of an ensemble all move: allowed is fixed = 0");
    Simulation expanding(stars_among_fixed(20), {});
    EXPECT_EQ(message_of([&] { expanding.set_expansion(Expansion(Cosmology{})); }),
              "particles are fixed, but space expands: allowed is fixed = 0");
}

}  // namespace trellis::fixed_particles_test
