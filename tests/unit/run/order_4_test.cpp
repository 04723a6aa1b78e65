// Individual time steps of fourth order (integrate/rungs/middle_kick.hpp).
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/step_limit.hpp"
#include "trellis/integrate/comoving/expansion.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/run/moving_particles.hpp"
#include "unit/run/simulation_on_ranks.hpp"
#include "unit/run/two_bodies.hpp"

namespace trellis::order_4_test {

using namespace fields;

// Pairs in one group, each summed.
const ForceSettings direct{.accuracy = 1e-6, .group_size = 4096, .leaf_size = 4096, .precision = Precision::double_};
constexpr double softening = 0.3;

// A step of each particle that does not change, in longest steps: 300 of 700 have the longest, 300 half, 100 a quarter.
StepLimit::Function steps_by_id(double longest) {
    return [=](const ParticleSet& particles, double, const ActiveRows& rows) {
        std::vector<double> steps(rows.count(particles.size()));
        for (std::size_t k = 0; k < steps.size(); ++k) {
            const std::uint64_t number = particles[id][rows[k]] % 7;
            steps[k] = longest / (number < 3 ? 1 : number < 6 ? 2 : 4);
        }
        return steps;
    };
}

std::unique_ptr<Simulation> simulation(std::shared_ptr<ParticleSet> particles, double longest, unsigned order,
                                       std::shared_ptr<Comm> comm = world()) {
    auto sim = std::make_unique<Simulation>(std::move(particles), longest, std::move(comm));
    sim->keep_order(true);
    constexpr double eta = 1e9;  // gravity has no limit
    sim->set_individual_steps(eta, order);
    sim->add_force(gravity(softening, 1, direct));
    const double scale = std::sqrt(eta / 0.025);
    sim->add_force(std::make_shared<StepLimit>(steps_by_id(1.001 * longest / scale), "the limit"));
    return sim;
}

TEST(Order4, has_an_error_that_falls_as_the_fourth_power_of_the_step) {
    const auto start = moving_plummer(700);
    const auto end = [&](std::uint64_t steps, unsigned order) {
        const auto particles = copy_of(*start);
        const auto sim = simulation(particles, 1.0 / static_cast<double>(steps), order);
        sim->run_steps(steps);
        EXPECT_EQ(sim->rung_use()->particles[0], 300U);
        EXPECT_EQ(sim->rung_use()->particles[1], 300U);
        EXPECT_EQ(sim->rung_use()->particles[2], 100U);
        return particles;
    };
    const auto exact = end(32, 4);
    const double coarse = farthest_apart(*end(4, 4), *exact), fine = farthest_apart(*end(8, 4), *exact);
    EXPECT_GT(coarse, 12 * fine);
    EXPECT_LT(fine, 0.02 * farthest_apart(*end(8, 2), *exact));
}

TEST(Order4, goes_back_to_where_it_began) {
    const auto particles = moving_plummer(700), start = copy_of(*particles);
    const auto sim = simulation(particles, 1.0 / 8, 4);
    sim->run_steps(4);
    EXPECT_GT(farthest_apart(*particles, *start), 0.1);
    for (Vec3<double>& v : (*particles)[velocity]) v = -1.0 * v;
    sim->run_steps(4);
    EXPECT_LT(farthest_apart(*particles, *start), 1e-12);
}

TEST(Order4, conserves_momentum_to_rounding) {
    const auto particles = moving_plummer(700);
    const Vec3<double> before = momentum(*particles);
    simulation(particles, 1.0 / 8, 4)->run_steps(4);
    const Vec3<double> change = momentum(*particles) - before;
    EXPECT_LT(std::sqrt(dot(change, change)), 1e-14);
}

TEST(Order4, follows_an_eccentric_orbit) {
    const auto error_after = [](int steps) {
        TwoBodies bodies(0.5, steps);
        const Vec3<double> start = bodies.separation();
        bodies.simulation->set_individual_steps(0.025, 4);
        bodies.simulation->add_force(std::make_shared<StepLimit>(
            [](const auto&, double, const auto& rows) { return std::vector<double>(rows.count(2), 1); }, "the limit"));
        bodies.simulation->run_steps(static_cast<std::uint64_t>(steps));
        const Vec3<double> apart = bodies.separation() - start;
        return std::sqrt(dot(apart, apart));
    };
    const double coarse = error_after(200), fine = error_after(400);
    EXPECT_LT(fine, 1e-6);
    EXPECT_NEAR(coarse / fine, 16, 1.5);
}

TEST(Order4, on_ranks_is_that_of_one) {
    const auto start = moving_plummer(700);
    const auto run = [&](int ranks) {
        const auto end = copy_of(*start);
        HierarchicalSteps::attach(*end);
        run_ranks(ranks, [&](Comm& comm) {
            const auto sim =
                simulation(all_on_first(comm, *start), 1.0 / 8, 4, std::shared_ptr<Comm>(&comm, [](Comm*) {}));
            sim->run_steps(4);
            put_by_id(sim->particles(), *end);
        });
        return end;
    };
    EXPECT_LT(farthest_apart(*run(1), *run(2)), 1e-6);
}

TEST(Order4, is_refused_where_it_cannot_be) {
    const auto particles = moving_plummer(10);
    Simulation sim(particles, 0.1);
    EXPECT_EQ(message_of([&] { sim.set_individual_steps(1, 3); }), "order is 3: allowed are 2 and 4");
    sim.set_individual_steps(1, 4);
    sim.add_force(gravity(0.1));
    particles->set_region({{-50, -50, -50}, {50, 50, 50}});
    EXPECT_EQ(message_of([&] { sim.step(); }), "order is 4, but the region is periodic: allowed is open space");
    Simulation expanding(moving_plummer(10), std::nullopt);
    expanding.set_time(0.1);
    expanding.set_expansion(Expansion(Cosmology{.omega_m = 1, .H0 = 0.1}, 0.1));
    EXPECT_EQ(message_of([&] { expanding.set_individual_steps(1, 4); }),
              "order is 4, but space expands: allowed is order 2");
}

}  // namespace trellis::order_4_test
