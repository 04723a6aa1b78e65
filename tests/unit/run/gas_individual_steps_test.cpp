// A gas of which each particle has its own time step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/run/moving_particles.hpp"
#include "unit/run/simulation_on_ranks.hpp"
#include "unit/with_threads.hpp"

namespace trellis::gas_individual_steps_test {

using namespace fields;

constexpr std::size_t side = 12, size = side * side * side;

// A gas at rest in a periodic box; a blast heats the middle.
std::shared_ptr<ParticleSet> blast(double energy) {
    auto gas = std::make_shared<ParticleSet>(size);
    gas->add(internal_energy);
    gas->set_region({{0, 0, 0}, {1, 1, 1}});
    models::Random random(4);
    for (std::size_t row = 0; row < size; ++row) {
        const auto at = [](std::size_t cell) { return (static_cast<double>(cell % side) + 0.5) / side; };
        const Vec3<double> lattice{at(row), at(row / side), at(row / side / side)};
        (*gas)[position][row] = lattice + 0.1 / side * random.direction();
        (*gas)[mass][row] = 1.0 / size;
        const Vec3<double> from_middle = lattice - Vec3<double>{0.5, 0.5, 0.5};
        (*gas)[internal_energy][row] = dot(from_middle, from_middle) < 0.02 ? energy : 1;
    }
    return gas;
}

std::unique_ptr<Simulation> simulation(std::shared_ptr<ParticleSet> gas, double longest, bool individual,
                                       std::shared_ptr<Comm> comm = world()) {
    auto sim = std::make_unique<Simulation>(std::move(gas), longest, std::move(comm));
    if (individual) sim->set_individual_steps(0.025);
    sim->add_force(std::make_shared<SphForce>(SphSettings{}));
    return sim;
}

double energy(const ParticleSet& gas) {
    double internal = 0;
    for (std::size_t row = 0; row < gas.size(); ++row) internal += gas[mass][row] * gas[internal_energy][row];
    return kinetic_energy(gas) + internal;
}

double apart_on_average(const ParticleSet& a, const ParticleSet& b) {
    double squares = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const Vec3<double> by = a[position][k] - b[position][k];
        squares += dot(by, by);
    }
    return std::sqrt(squares / static_cast<double>(a.size()));
}

std::shared_ptr<ParticleSet> by_id(const ParticleSet& particles) {
    auto sorted = copy_of(particles);
    put_by_id(particles, *sorted);
    return sorted;
}

// A leapfrog adds the two halves of a kick in another order.
TEST(GasIndividualSteps, on_one_rung_are_the_leapfrog_to_rounding) {
    const auto all = blast(2), equal = copy_of(*all);
    const auto leapfrog = simulation(all, 0.0005, false), sim = simulation(equal, 0.0005, true);
    leapfrog->run_steps(10);
    sim->run_steps(10);
    EXPECT_EQ(sim->rung_use()->particles[0], size);
    EXPECT_LT(farthest_apart(*by_id(*all), *by_id(*equal)), 1e-7);
}

// The accuracy of one chosen step for all, with fewer forces.
TEST(GasIndividualSteps, follow_a_blast_as_chosen_steps_for_all) {
    const auto particles = blast(300), others = blast(300);
    const auto sim = simulation(particles, 0.008, true);
    sim->ensure_forces();
    const double start = energy(*particles);
    std::uint64_t updates = 0;
    for (int step = 0; step < 4; ++step) {
        sim->step();
        updates += sim->rung_use()->updates;
    }
    Simulation plain(others, std::nullopt);
    plain.add_force(std::make_shared<SphForce>(SphSettings{}));
    plain.run_until(sim->time());
    EXPECT_LT(static_cast<double>(updates), 0.9 * static_cast<double>(size * plain.step_count()));
    EXPECT_LT(std::abs(energy(*particles) / start - 1), 3e-3);
    EXPECT_LT(apart_on_average(*by_id(*particles), *by_id(*others)), 0.02 / side);
}

// Also where lists were renewed within the step before.
TEST(GasIndividualSteps, go_on_from_a_checkpoint_bit_for_bit) {
    for (const double longest : {0.008, 0.004, 0.002}) {
        const auto whole = blast(300);
        const auto sim = simulation(whole, longest, true);
        std::uint64_t deeper = 0;
        for (std::uint64_t steps = 1; steps < 6; steps += 2) {
            sim->step();
            const auto kept = copy_of(*whole);
            const auto resumed = simulation(kept, longest, true);
            resumed->resume(sim->time(), steps);
            sim->step();
            resumed->step();
            deeper += sim->rung_use()->particles[1];
            expect_same_bits(*whole, *kept);
        }
        EXPECT_GT(deeper, 0U);
    }
}

TEST(GasIndividualSteps, have_the_same_bits_for_any_number_of_threads) {
    const auto run = [](int threads) {
        return with_threads(threads, [] {
            const auto particles = blast(300);
            simulation(particles, 0.008, true)->run_steps(2);
            return particles;
        });
    };
    expect_same_bits(*run(1), *run(3));
}

TEST(GasIndividualSteps, on_ranks_are_those_of_one) {
    const auto run = [](int ranks) {
        const auto start = blast(300), end = copy_of(*start);
        HierarchicalSteps::attach(*end);
        for (const auto* name : {"smoothing_length", "density"}) end->add({name, "", "", 1, false});
        run_ranks(ranks, [&](Comm& comm) {
            const auto sim =
                simulation(all_on_first(comm, *start), 0.008, true, std::shared_ptr<Comm>(&comm, [](Comm*) {}));
            sim->run_steps(3);
            const ParticleSet& own = sim->particles();
            for (std::size_t k = 0; k < own.size(); ++k) {
                (*end)[position][own[id][k]] = own[position][k];
                (*end)[rung][own[id][k]] = own[rung][k];
            }
        });
        return end;
    };
    const auto alone = run(1), shared = run(2);
    EXPECT_LT(farthest_apart(*alone, *shared), 1e-3 / side);
}

// A gas under its own gravity, on levels.
TEST(GasIndividualSteps, with_gravity_conserve_energy) {
    auto gas = std::make_shared<ParticleSet>(models::plummer(1500, 1));
    gas->add(internal_energy);
    for (std::size_t row = 0; row < gas->size(); ++row) (*gas)[internal_energy][row] = 0.1;
    auto sim = std::make_unique<Simulation>(gas, 0.1);
    sim->set_individual_steps(0.025);
    sim->add_force(gravity(0.05, 1, {.accuracy = 1e-4}));
    sim->add_force(std::make_shared<SphForce>(SphSettings{}));
    sim->ensure_forces();
    const auto whole = [&] { return energy(*gas) + potential_energy(*gas); };
    const double start = whole();
    sim->run_steps(10);
    const auto in_use = std::ranges::count_if(sim->rung_use()->particles, [](auto count) { return count > 0; });
    EXPECT_GE(in_use, 2);
    EXPECT_LT(std::abs(whole() - start), 2e-3 * std::abs(start));
}

}  // namespace trellis::gas_individual_steps_test
