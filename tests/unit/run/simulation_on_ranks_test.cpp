#include "unit/run/simulation_on_ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "unit/ranks/comm/counting_comm.hpp"
#include "unit/run/two_bodies.hpp"

namespace trellis::simulation_on_ranks_test {

using namespace fields;

constexpr std::size_t size = 500;
constexpr ForceSettings rebuilt{.accuracy = 1e-3};
constexpr ForceSettings reused{.accuracy = 1e-3, .lists = Lists::reuse, .reuse_steps = 5, .opening_growth = 0.5};
constexpr ForceSettings exact{.theta = 1e-9, .precision = Precision::double_, .lists = Lists::reuse, .reuse_steps = 3};

MakeForces by_gravity(const ForceSettings& settings, const std::string& device = "host") {
    return [=] {
        return std::vector<std::shared_ptr<Force>>{
            gravity(0.05, 1, settings, device == "host" ? nullptr : open_device(device))};
    };
}

double energy(const ParticleSet& particles) { return kinetic_energy(particles) + potential_energy(particles); }

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// The largest distance between a particle of a and the same one of b, both in the order of the ids.
double apart(const ParticleSet& a, const ParticleSet& b) {
    double most = 0;
    for (std::size_t row = 0; row < a.size(); ++row) {
        EXPECT_EQ(a[mass][row], b[mass][row]);
        most = std::max(most, norm(a[position][row] - b[position][row]));
    }
    return most;
}

class SimulationOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, SimulationOnRanks, testing::Values(2, 3, 8));

TEST_P(SimulationOnRanks, goes_as_on_one_rank) {
    const ForceSettings by_tree{.theta = 0.5, .method = Method::tree, .lists = Lists::reuse, .reuse_steps = 4};
    const auto start = moving_plummer(size);
    for (const MakeForces& forces : {by_gravity(rebuilt), by_gravity(reused), by_gravity(by_tree, "cpu")}) {
        const auto end = run_on_ranks(GetParam(), *start, forces, 22);
        const auto alone = run_on_ranks(1, *start, forces, 22);
        EXPECT_GT(apart(*start, *alone), 0.05);
        EXPECT_LT(apart(*end, *alone), 5e-4);
        EXPECT_NEAR(energy(*end), energy(*alone), 1e-4 * std::abs(energy(*alone)));
        EXPECT_LT(norm(momentum(*end) - momentum(*start)), 2e-4);
    }
}

TEST_P(SimulationOnRanks, moves_few_particles_exactly) {
    for (const std::size_t few : {0, 1, 2, 5, 20}) {
        const auto start = moving_plummer(few);
        const auto end = run_on_ranks(GetParam(), *start, by_gravity(exact), 25);
        const auto alone = run_on_ranks(1, *start, by_gravity(exact), 25);
        EXPECT_LT(apart(*end, *alone), 1e-13) << few;
    }
}

TEST_P(SimulationOnRanks, keeps_two_bodies_on_their_orbit) {
    const TwoBodies bodies(0.3, 100);
    for (const ForceSettings& settings : {exact, ForceSettings{.precision = Precision::double_}}) {
        const auto orbit = by_gravity(settings);
        const auto end = run_on_ranks(GetParam(), *bodies.particles, orbit, 320);
        const auto alone = run_on_ranks(1, *bodies.particles, orbit, 320);
        EXPECT_LT(apart(*end, *alone), 1e-11);
        EXPECT_LT(norm(momentum(*end)), 1e-13);
        const auto first = run_on_ranks(GetParam(), *bodies.particles, orbit, 0);
        EXPECT_NEAR(energy(*end), energy(*first), 1e-3 * std::abs(energy(*first)));
    }
}

// All particles but one are in a tiny clump: domains cannot follow, and most ranks have none.
TEST_P(SimulationOnRanks, can_have_ranks_without_particles) {
    ParticleSet start = models::one_place(60, 1);
    start[position][7] = {1, 1, 1};
    const auto end = run_on_ranks(GetParam(), start, by_gravity(exact), 21, [](Simulation& sim) {
        const auto sizes = all_gather(sim.comm(), sim.particles().size());
        EXPECT_EQ(std::ranges::count(sizes, 0U), sim.comm().size() - 2);
    });
    EXPECT_LT(apart(*end, *run_on_ranks(1, start, by_gravity(exact), 21)), 1e-13);
}

// Two clumps rush at each other. Cells that were far are not far any more, but the lists are reused, and so are the
// essential trees that ranks exchange.
TEST_P(SimulationOnRanks, keeps_to_what_was_far_while_lists_are_reused) {
    ParticleSet start = models::uniform_sphere(200, 1);
    for (std::size_t row = 0; row < start.size(); ++row) {
        const double side = row % 2 == 0 ? 1 : -1;
        start[position][row] = 0.5 * start[position][row] + Vec3<double>{3 * side, 0, 0};
        start[velocity][row] = {-20 * side, 0, 0};
    }
    const auto kept =
        by_gravity({.theta = 0.5, .order = 4, .lists = Lists::reuse, .reuse_steps = 11, .trust_reuse_steps = true});
    const auto end = run_on_ranks(GetParam(), start, kept, 10), alone = run_on_ranks(1, start, kept, 10);
    for (std::size_t row = 0; row < start.size(); ++row) {
        const Vec3<double> right = (*alone)[acceleration][row];
        EXPECT_LT(norm((*end)[acceleration][row] - right), 0.1 * norm(right) + 0.02);
    }
}

TEST_P(SimulationOnRanks, has_the_same_bits_each_time) {
    const auto start = moving_plummer(size);
    for (const auto& settings : {rebuilt, reused})
        expect_same_bits(*run_on_ranks(GetParam(), *start, by_gravity(settings), 12),
                         *run_on_ranks(GetParam(), *start, by_gravity(settings), 12));
}

TEST_P(SimulationOnRanks, adds_forces_that_keep_their_lists_for_different_times) {
    const MakeForces both = [] {
        ForceSettings longer = exact, shorter = exact;
        longer.reuse_steps = 4;
        shorter.reuse_steps = 6;
        return std::vector<std::shared_ptr<Force>>{gravity(0.05, 0.4, longer), gravity(0.05, 0.6, shorter)};
    };
    const auto start = moving_plummer(100);
    const auto end = run_on_ranks(GetParam(), *start, both, 26, [](Simulation& sim) {
        const auto use = [&](std::size_t k) { return sim.forces()[k]->list_use(); };
        EXPECT_GE(use(0).reuses, 18U);  // all but every fourth step
        EXPECT_GE(use(1).reuses, 20U);
        EXPECT_EQ(use(0).reuses + use(0).constructions, 27U);
    });
    EXPECT_LT(apart(*end, *run_on_ranks(1, *start, by_gravity(exact), 26)), 1e-12);
}

// The exchange that one force waits for is under way while the other forces are dispatched.
TEST_P(SimulationOnRanks, has_the_exchanges_of_all_forces_under_way_at_once) {
    const MakeForces three = [] {
        return std::vector<std::shared_ptr<Force>>{gravity(0.05, 0.5, rebuilt), gravity(0.05, 0.3, reused),
                                                   lennard_jones(1e-9, 0.1, 0.3)};
    };
    run_ranks(GetParam(), [&](Comm& comm) {
        checks::CountingComm counting(comm);
        const auto sim = simulation_on(counting, all_on_first(comm, *moving_plummer(size)), three);
        sim->run_steps(3);
        EXPECT_EQ(counting.most(), 3);
        EXPECT_EQ(counting.under_way(), 0);
    });
}

TEST_P(SimulationOnRanks, measures_its_error_as_one_rank_would) {
    const auto start = moving_plummer(size);
    const auto forces = by_gravity({.theta = 0.7, .method = Method::tree});
    std::vector<ForceError> errors(static_cast<std::size_t>(GetParam())), sampled = errors;
    const auto end = run_on_ranks(GetParam(), *start, forces, 2, [&](Simulation& sim) {
        errors[static_cast<std::size_t>(sim.comm().rank())] = sim.force_error(size, 1);
        sampled[static_cast<std::size_t>(sim.comm().rank())] = sim.force_error(50, 1);
    });
    const ForceError oracle = measure_force_error(*serial_comm(), *end, forces(), 0, size, 1);
    EXPECT_GT(oracle.rms, 1e-4);
    for (const ForceError& error : errors) {
        EXPECT_NEAR(error.rms, oracle.rms, 1e-9 * oracle.rms);
        EXPECT_NEAR(error.median, oracle.median, 1e-9 * oracle.median);
        EXPECT_NEAR(error.percentile_99, oracle.percentile_99, 1e-9 * oracle.percentile_99);
        EXPECT_NEAR(error.maximum, oracle.maximum, 1e-9 * oracle.maximum);
    }
    for (const ForceError& error : sampled) EXPECT_EQ(error.rms, sampled[0].rms);
    EXPECT_NE(sampled[0].rms, errors[0].rms);
    EXPECT_NEAR(sampled[0].rms, oracle.rms, 0.8 * oracle.rms);
}

TEST_P(SimulationOnRanks, adds_up_the_work_of_all) {
    run_on_ranks(GetParam(), *moving_plummer(size), by_gravity(rebuilt), 3, [](Simulation& sim) {
        std::uint64_t pairs = 0;
        for (const std::uint64_t each : all_gather(sim.comm(), sim.work().pairs)) pairs += each;
        EXPECT_EQ(sim.total_work().pairs, pairs);
        EXPECT_LT(sim.work().pairs, pairs);
    });
}

}  // namespace trellis::simulation_on_ranks_test
