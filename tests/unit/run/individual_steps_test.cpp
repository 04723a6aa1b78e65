#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trellis/base/error.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/run/moving_particles.hpp"
#include "unit/run/simulation_on_ranks.hpp"
#include "unit/with_threads.hpp"

namespace trellis::individual_steps_test {

using namespace fields;

// Pairs in one group: the sums of forces are zero but for rounding.
const ForceSettings direct{.accuracy = 1e-6, .group_size = 4096, .leaf_size = 4096, .precision = Precision::double_};
constexpr double softening = 0.01, longest = 1.0 / 16;

std::unique_ptr<Simulation> individual(std::shared_ptr<ParticleSet> particles, const ForceSettings& settings = direct,
                                       double eta = 0.025, std::shared_ptr<Comm> comm = world()) {
    auto sim = std::make_unique<Simulation>(std::move(particles), longest, std::move(comm));
    sim->set_individual_steps(eta);
    sim->add_force(gravity(softening, 1, settings));
    return sim;
}

double energy(const ParticleSet& particles) { return kinetic_energy(particles) + potential_energy(particles); }

double norm(const Vec3<double>& vector) { return std::sqrt(dot(vector, vector)); }

std::size_t rungs_in_use(const RungUse& use) {
    return static_cast<std::size_t>(std::ranges::count_if(use.particles, [](auto count) { return count > 0; }));
}

TEST(IndividualSteps, on_one_rung_are_the_leapfrog_to_the_bit) {
    const auto all = moving_plummer(300), equal = copy_of(*all);
    Simulation leapfrog(all, longest);
    leapfrog.add_force(gravity(softening, 1, {.accuracy = 1e-3}));
    const auto sim = individual(equal, {.accuracy = 1e-3}, 1e6);
    leapfrog.run_steps(20);
    sim->run_steps(20);
    EXPECT_EQ(sim->rung_use()->particles[0], 300U);
    EXPECT_EQ(sim->rung_use()->updates, 300U);
    expect_same_bits(*all, *equal);
}

TEST(IndividualSteps, conserve_momentum_to_rounding) {
    const auto particles = moving_plummer(300);
    const Vec3<double> before = momentum(*particles);
    const auto sim = individual(particles);
    sim->run_steps(16);
    EXPECT_GE(rungs_in_use(*sim->rung_use()), 3U);
    EXPECT_LT(norm(momentum(*particles) - before), 1e-14);
}

// Fewer updates than a step for all as short as the shortest, at about its energy error.
TEST(IndividualSteps, conserve_energy_as_short_steps_for_all) {
    const auto particles = moving_plummer(500), others = copy_of(*particles);
    const auto sim = individual(particles);
    sim->ensure_forces();
    const double start = energy(*particles);
    std::uint64_t updates = 0;
    std::size_t deepest = 0;
    for (int step = 0; step < 16; ++step) {
        sim->step();
        updates += sim->rung_use()->updates;
        for (std::size_t rung = 0; rung <= deepest_rung; ++rung)
            if (sim->rung_use()->particles[rung] > 0) deepest = std::max(deepest, rung);
    }
    const double steps_for_all = 16 * std::ldexp(1.0, static_cast<int>(deepest));
    EXPECT_LT(std::abs(energy(*particles) / start - 1), 2e-4);
    EXPECT_LT(static_cast<double>(updates), 0.5 * 500 * steps_for_all);
}

TEST(IndividualSteps, go_on_from_a_checkpoint_bit_for_bit) {
    const auto whole = moving_plummer(400);
    const auto sim = individual(whole, {.accuracy = 1e-3});
    sim->run_steps(5);
    const auto kept = copy_of(*whole);
    const auto resumed = individual(kept, {.accuracy = 1e-3});
    resumed->resume(sim->time(), 5);
    sim->run_steps(5);
    resumed->run_steps(5);
    expect_same_bits(*whole, *kept);
}

// Two stars close to each other have the short steps, before and after their masses are changed: all forces among them
// are those of a new simulation.
TEST(IndividualSteps, after_a_change_of_masses_are_those_of_a_new_simulation) {
    const auto particles = std::make_shared<ParticleSet>(40);
    ParticleSet& p = *particles;
    for (std::size_t k = 0; k < 40; ++k) {
        const double side = k == 0 ? -1 : 1;
        p[mass][k] = k < 2 ? 0.5 : 1e-6;
        p[position][k] = k < 2 ? Vec3<double>{0.1 * side, 0, 0} : Vec3<double>{20, static_cast<double>(k), 0};
        p[velocity][k] = k < 2 ? Vec3<double>{0, 1.1 * side, 0} : Vec3<double>{0, 0, 0};
    }
    const auto expect_same_level = [](const ParticleSet& all) {
        for (std::size_t k = 0; k < 40; ++k) EXPECT_EQ(all[rung][k] > 0, k < 2) << k;
    };
    const auto sim = individual(particles);
    sim->step();
    expect_same_level(p);
    for (std::size_t k = 0; k < 2; ++k) p[mass][k] *= 1.5;
    const auto others = copy_of(p);
    const auto other = individual(others);
    sim->step();
    other->step();
    expect_same_level(p);
    expect_same_bits(p, *others);
}

TEST(IndividualSteps, have_the_same_bits_for_any_number_of_threads) {
    const auto run = [](int threads) {
        return with_threads(threads, [] {
            const auto particles = moving_plummer(2000);
            individual(particles, {.accuracy = 1e-3})->run_steps(4);
            return particles;
        });
    };
    expect_same_bits(*run(1), *run(3));
}

TEST(IndividualSteps, end_where_a_run_ends) {
    const auto particles = moving_plummer(200);
    const auto sim = individual(particles);
    sim->run_until(0.1);
    EXPECT_EQ(sim->time(), 0.1);
    EXPECT_EQ(sim->step_count(), 2U);
}

TEST(IndividualSteps, on_ranks_are_those_of_one) {
    const auto start = moving_plummer(600);
    const auto run = [&](int ranks) {
        const auto end = copy_of(*start);
        HierarchicalSteps::attach(*end);
        run_ranks(ranks, [&](Comm& comm) {
            const auto sim = individual(all_on_first(comm, *start), {.accuracy = 1e-5, .precision = Precision::double_},
                                        0.025, std::shared_ptr<Comm>(&comm, [](Comm*) {}));
            sim->run_steps(4);
            put_by_id(sim->particles(), *end);
        });
        return end;
    };
    const auto alone = run(1);
    for (const int ranks : {2, 3}) {
        const auto end = run(ranks);
        double farthest = 0;
        std::size_t other_rungs = 0;
        for (std::size_t k = 0; k < 600; ++k) {
            farthest = std::max(farthest, norm((*end)[position][k] - (*alone)[position][k]));
            other_rungs += (*end)[rung][k] != (*alone)[rung][k] ? 1 : 0;
        }
        EXPECT_LT(farthest, 1e-5) << ranks;
        EXPECT_LE(other_rungs, 2U) << ranks;
    }
}

// A star and light bodies that orbit it, far from others on long steps: the star's own acceleration is small. It takes
// short steps as well, but another star like it does not.
TEST(IndividualSteps, follow_light_bodies_around_a_heavy_one) {
    auto particles = std::make_shared<ParticleSet>(40);
    ParticleSet& p = *particles;
    models::Random random(3);
    for (std::size_t k = 0; k < 40; ++k) {
        p[mass][k] = k == 0 || k == 30 ? 1 : k < 20 ? 0 : 1e-3;
        const double angle = 0.3 * static_cast<double>(k), distance = k < 20 ? 0.1 : 20;
        p[position][k] = k == 0 ? Vec3<double>{0, 0, 0} : distance * Vec3<double>{std::cos(angle), std::sin(angle), 0};
        const double speed = std::sqrt(1 / distance);
        p[velocity][k] = k == 0 ? Vec3<double>{0, 0, 0} : speed * Vec3<double>{-std::sin(angle), std::cos(angle), 0};
    }
    const auto sim = individual(particles, direct, 0.01);
    sim->run_steps(16);  // five orbits
    std::size_t bodies = 0;
    for (std::size_t k = 0; k < 40; ++k) {
        EXPECT_EQ(p[rung][k] > 0, p[id][k] < 20) << p[id][k];
        if (p[id][k] == 0 || p[id][k] >= 20) continue;
        const Vec3<double> apart = p[position][k] - Vec3<double>{0, 0, 0};
        EXPECT_NEAR(norm(apart), 0.1, 0.004);
        ++bodies;
    }
    EXPECT_EQ(bodies, 19U);
    EXPECT_GE(rungs_in_use(*sim->rung_use()), 2U);
}

TEST(IndividualSteps, that_are_too_short_name_the_particle_and_change_nothing) {
    const auto particles = moving_plummer(50);
    (*particles)[position][7] = (*particles)[position][3] + Vec3<double>{1e-9, 0, 0};
    const auto sim = std::make_unique<Simulation>(particles, longest);
    sim->set_individual_steps(0.025);
    sim->add_force(gravity(1e-9, 1, direct));
    sim->ensure_forces();
    const auto before = copy_of(*particles);
    const std::string said = message_of<RunError>([&] { sim->step(); });
    EXPECT_NE(said.find("the particle of id "), std::string::npos) << said;
    EXPECT_NE(said.find("allowed is the longest step over 2^24"), std::string::npos) << said;
    for (std::size_t k = 0; k < 50; ++k) {
        EXPECT_EQ((*particles)[position][k], (*before)[position][k]);
        EXPECT_EQ((*particles)[velocity][k], (*before)[velocity][k]);
    }
}

TEST(IndividualSteps, are_refused_where_they_cannot_be) {
    const auto particles = moving_plummer(10);
    Simulation chosen(particles, std::nullopt);
    EXPECT_EQ(message_of([&] { chosen.set_individual_steps(0.025); }),
              "individual time steps are given, but no longest step: allowed is a number above 0");
    Simulation sim(particles, 0.1);
    for (const double eta : {0.0, -1.0, std::numeric_limits<double>::infinity()})
        EXPECT_NE(message_of([&] { sim.set_individual_steps(eta); }).find("allowed is above 0"), std::string::npos);
    sim.set_individual_steps(0.025);
    sim.add_force(gravity(0));
    EXPECT_NE(message_of([&] { sim.step(); }).find("no force limits the step of a particle"), std::string::npos);
    Simulation empty(std::make_shared<ParticleSet>(0), 0.1);
    empty.set_individual_steps(0.025);
    empty.step();
    EXPECT_EQ(empty.time(), 0.1);
}

TEST(IndividualSteps, of_a_particle_alone_are_the_longest) {
    const auto one = moving_plummer(1);
    const Vec3<double> x = (*one)[position][0], v = (*one)[velocity][0];
    Simulation sim(one, 0.125);
    sim.set_individual_steps(0.025);
    sim.add_force(gravity(0.01));
    sim.step();
    EXPECT_EQ(sim.time(), 0.125);
    EXPECT_EQ((*one)[position][0], x + 0.125 * v);
}

}  // namespace trellis::individual_steps_test
