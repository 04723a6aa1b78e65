// A simulation at constant pressure.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/external/one_body.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/integrate/thermostats/langevin.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/ensembles/ensemble_of_atoms.hpp"
#include "unit/error_message.hpp"
#include "unit/run/plain_force.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::barostat_test {

using namespace fields;

constexpr double temperature = 0.8;

std::shared_ptr<Thermostat> langevin() { return std::make_shared<Langevin>(temperature, 0.3, 7); }

std::shared_ptr<ParticleSet> atoms_of(std::size_t count, double spacing = 1.12) {
    return std::make_shared<ParticleSet>(lattice_atoms(count, 3, 1, spacing));
}

std::shared_ptr<Force> atoms_force(const Devices& devices = {}, Lists lists = Lists::reuse,
                                   Precision precision = Precision::automatic) {
    return lennard_jones(1, 1, 2.5, Truncation::force_shifted,
                         {.lists = lists, .precision = precision, .device = devices});
}

MakeForces among_atoms(Precision precision = Precision::automatic) {
    return [=] { return std::vector<std::shared_ptr<Force>>{atoms_force({}, Lists::reuse, precision)}; };
}

void hold(Simulation& sim, const Barostat& barostat) {
    sim.set_thermostat(langevin());
    sim.set_barostat(barostat);
}

double volume_of(const ParticleSet& particles) {
    const Vec3<double> sides = particles.region().high - particles.region().low;
    return sides.x * sides.y * sides.z;
}

double conserved(Simulation& sim) {
    return kinetic_energy(sim.comm(), sim.particles()) + potential_energy(sim.comm(), sim.particles()) +
           sim.bath_energy();
}

TEST(BarostatOfASimulation, gives_an_ideal_gas_its_volumes) {
    constexpr std::size_t count = 20, moves = 40'000;
    constexpr double pressure = 2, right = (count + 1) * temperature / pressure;
    Simulation sim(atoms_of(count, 0.8), 0.01);
    hold(sim, {.every = 1, .pressure = pressure, .longest_move = 0.5, .seed = 1});
    sim.run_steps(200);
    double sum = 0, squares = 0;
    for (std::size_t move = 0; move < moves; ++move) {
        sim.step();
        const double volume = volume_of(sim.particles()) / right;
        sum += volume / moves;
        squares += volume * volume / moves;
    }
    EXPECT_NEAR(sum, 1, 0.015);  // with N for N + 1: 0.952
    EXPECT_NEAR((squares - sum * sum) * (count + 1), 1, 0.12);
    const std::vector<double> state = sim.barostat_state();
    EXPECT_EQ(state[0], moves + 199);
    EXPECT_GT(state[1], 0.3 * state[0]);
    EXPECT_LT(state[1], 0.9 * state[0]);
    EXPECT_EQ(state[2], 0);
}

// The same moves of the same atoms, by other code; no move follows the last step.
TEST(BarostatOfASimulation, makes_the_moves_of_an_ensemble) {
    const auto atoms = atoms_of(216);
    SystemSettings settings = with_langevin;
    settings.barostat = {.every = 3, .pressure = 3, .longest_move = 0.04, .seed = 5};
    const ParticleSet* systems[] = {atoms.get()};
    Ensemble ensemble = of_atoms(systems, {&settings, 1});
    const auto energies = ensemble.advance(50, 50);
    Simulation sim(atoms, settings.timestep);
    sim.keep_order(true);
    sim.add_force(atoms_force());
    hold(sim, settings.barostat);
    sim.run_steps(50);
    const Barostat moved = ensemble.state().systems[0].barostat;
    EXPECT_EQ(sim.barostat_state()[0], static_cast<double>(moved.tried));
    EXPECT_EQ(sim.barostat_state()[1], static_cast<double>(moved.accepted));
    EXPECT_GT(moved.accepted, 4U);
    EXPECT_LT(moved.accepted, 12U);
    EXPECT_NEAR(volume_of(*atoms), ensemble.volumes()[0], 1e-9);
    EXPECT_NEAR(potential_energy(*atoms), energies[0].potential, 1e-3);
    EXPECT_NEAR(sim.bath_energy(), energies[0].bath, 1e-3);
    const ParticleSet there = system_of(ensemble, 0, *atoms);
    for (std::size_t k = 0; k < atoms->size(); ++k)
        for (std::size_t axis = 0; axis < 3; ++axis)
            ASSERT_NEAR((*atoms)[velocity][k][axis], there[velocity][k][axis], 1e-4) << k;
}

TEST(BarostatOfASimulation, leaves_every_bit_after_moves_that_are_rejected) {
    const auto run = [](bool held) {
        Simulation sim(atoms_of(216), 0.002);
        sim.add_force(atoms_force({}, Lists::rebuild));
        sim.set_thermostat(langevin());
        if (held) sim.set_barostat({.every = 2, .pressure = 3, .longest_move = 2, .seed = 2});
        sim.run_steps(25);
        if (held) {
            EXPECT_EQ(sim.barostat_state(), (std::vector<double>{12, 0, 0}));
        }
        return std::make_pair(copy_of(sim.particles()), sim.bath_energy());
    };
    const auto [held, bath] = run(true);
    const auto [free, bath_of_free] = run(false);
    EXPECT_EQ(held->region(), free->region());
    EXPECT_EQ(bath, bath_of_free);
    expect_same_bits(*held, *free);
}

TEST(BarostatOfASimulation, keeps_the_books) {
    Simulation sim(atoms_of(512), 0.002);
    sim.add_force(atoms_force());
    hold(sim, {.every = 5, .pressure = 1, .longest_move = 0.03, .seed = 5});
    sim.ensure_forces();
    const double before = conserved(sim), potential = potential_energy(sim.particles());
    sim.run_steps(300);
    EXPECT_GT(sim.barostat_state()[1], 15);
    EXPECT_GT(std::abs(sim.barostat_state()[2]), 20);
    EXPECT_GT(std::abs(potential_energy(sim.particles()) - potential), 20);
    EXPECT_NEAR(conserved(sim), before, 2);
}

// Lists are made again after a move, whether it was accepted or not.
TEST(BarostatOfASimulation, has_the_forces_of_the_present_box) {
    for (const double pressure : {0.0, 30.0}) {
        Simulation sim(atoms_of(512, 1.3), 1e-7);
        sim.add_force(atoms_force());
        hold(sim, {.every = 3, .pressure = pressure, .longest_move = 0.1, .seed = 5});
        sim.run_steps(200);
        const auto fresh = copy_of(sim.particles());
        Simulation again(fresh, 1e-7);
        again.add_force(atoms_force());
        again.compute_forces();
        EXPECT_NEAR(potential_energy(sim.particles()), potential_energy(*fresh), 1e-4) << pressure;
    }
}

class BarostatOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, BarostatOnRanks, testing::Values(1, 2, 3), testing::PrintToStringParamName());

constexpr Barostat for_ranks{.every = 4, .pressure = 1, .longest_move = 0.05, .seed = 5};

MakeForces among_stars() {
    return [] { return std::vector<std::shared_ptr<Force>>{gravity(0.3, 0.05, {.accuracy = 1e-6})}; };
}

std::unique_ptr<Simulation> held_on(Comm& comm, std::shared_ptr<ParticleSet> own,
                                    const MakeForces& forces = among_atoms(Precision::double_)) {
    auto sim = simulation_on(comm, std::move(own), forces);
    hold(*sim, for_ranks);
    return sim;
}

TEST_P(BarostatOnRanks, goes_as_on_one_rank) {
    const auto start = atoms_of(512, 1.2);
    const auto energies = [&](int ranks) {
        std::vector<double> found;
        run_ranks(ranks, [&](Comm& comm) {
            const auto sim = held_on(comm, all_on_first(comm, *start));
            while (sim->step_count() < 30) sim->step();
            const double energy = conserved(*sim), potential = potential_energy(comm, sim->particles());
            const std::vector<double> state = sim->barostat_state();
            EXPECT_GT(state[1], 1);
            if (comm.rank() == 0) found = {volume_of(sim->particles()), energy, potential, state[1]};
        });
        return found;
    };
    const auto alone = energies(1), together = energies(GetParam());
    for (std::size_t k = 0; k < alone.size(); ++k) EXPECT_NEAR(together[k], alone[k], 1e-7) << k;
}

TEST_P(BarostatOnRanks, resumes_bit_for_bit_at_any_step) {
    const auto start = atoms_of(216, 1.2);
    run_ranks(GetParam(), [&](Comm& comm) {
        for (const std::uint64_t stop : {7, 8, 9}) {
            const auto whole = held_on(comm, all_on_first(comm, *start));
            const auto first = held_on(comm, all_on_first(comm, *start));
            while (whole->step_count() < 25) whole->step();
            while (first->step_count() < stop) first->step();
            const auto second = held_on(comm, copy_of(first->particles()));
            second->resume(first->time(), stop, first->domain_state(), first->thermostat_state(), first->step_allowed(),
                           first->barostat_state());
            while (second->step_count() < 25) second->step();
            EXPECT_EQ(second->particles().region(), whole->particles().region());
            EXPECT_EQ(second->barostat_state(), whole->barostat_state());
            EXPECT_EQ(second->bath_energy(), whole->bath_energy());
            expect_same_bits(second->particles(), whole->particles());
        }
    });
}

// A share of the particles, wherever they are, as a checkpoint of another number of ranks is read.
std::shared_ptr<ParticleSet> share_of(Comm& comm, const ParticleSet& all) {
    std::vector<std::uint32_t> rows;
    for (auto row = static_cast<std::uint32_t>(comm.rank()); row < all.size();
         row += static_cast<std::uint32_t>(comm.size()))
        rows.push_back(row);
    const auto own = copy_of(all);
    own->replace_rows(rows, 0);
    return own;
}

// Step 9 begins with a move.
void expect_equal_after_resume(int ranks, const MakeForces& forces, double difference) {
    std::shared_ptr<ParticleSet> stopped, whole;
    run_ranks(1, [&](Comm& comm) {
        const auto sim = held_on(comm, atoms_of(216, 1.2), forces);
        while (sim->step_count() < 8) sim->step();
        stopped = copy_of(sim->particles());
        while (sim->step_count() < 20) sim->step();
        whole = copy_of(sim->particles());
    });
    run_ranks(ranks, [&](Comm& comm) {
        const auto sim = held_on(comm, share_of(comm, *stopped), forces);
        sim->resume(0.08, 8, {}, std::vector<double>{0.0});
        while (sim->step_count() < 20) sim->step();
        EXPECT_GT(sim->barostat_state()[1], 0);
        EXPECT_NEAR(volume_of(sim->particles()), volume_of(*whole), 0.1 * difference);
        EXPECT_NEAR(potential_energy(comm, sim->particles()), potential_energy(*whole), difference);
    });
}

TEST_P(BarostatOnRanks, resumes_what_another_number_of_ranks_began) {
    expect_equal_after_resume(GetParam(), among_atoms(Precision::double_), 1e-7);
    expect_equal_after_resume(GetParam(), among_stars(), 1e-4);
}

// Looks whether forces are asked for before particles are with the ranks of their domains.
class NeedsDomains : public PlainForce {
  public:
    void dispatch(ParticleSet&, const ForceStep& step, Phases&) override {
        ++dispatched;
        all_known = all_known && !step.ranks->domains.empty();
    }
    std::span<const FieldInfo> results() const override { return results_; }

    int dispatched = 0;
    bool all_known = true;

  private:
    std::vector<FieldInfo> results_{field_info<Potential>()};
};

TEST(BarostatOfASimulation, moves_particles_that_are_with_their_ranks) {
    const auto start = atoms_of(216);
    run_ranks(2, [&](Comm& comm) {
        const auto force = std::make_shared<NeedsDomains>();
        const auto sim =
            held_on(comm, share_of(comm, *start), [&] { return std::vector<std::shared_ptr<Force>>{force}; });
        sim->resume(0.08, 8);
        sim->step();
        EXPECT_EQ(force->dispatched, 2);
        EXPECT_TRUE(force->all_known);
    });
}

TEST(BarostatOfASimulation, repeats_a_move_whose_device_fails) {
    const auto run = [](std::shared_ptr<Device> device) {
        Simulation sim(atoms_of(216), 0.002);
        const auto force = atoms_force(device);
        sim.add_force(force);
        hold(sim, {.every = 1, .pressure = 1, .longest_move = 0.05, .seed = 5});
        int failures = 0;
        while (sim.step_count() < 6) {
            try {
                sim.step();
            } catch (const DeviceError&) {
                ++failures;
                force->use_devices(open_device("cpu"));
            }
        }
        return std::make_pair(copy_of(sim.particles()), failures);
    };
    const auto [unbroken, none] = run(open_device("cpu"));
    EXPECT_EQ(none, 0);
    for (const int launches : {2, 3, 4, 5}) {
        const auto [repeated, failures] = run(std::make_shared<FaultyDevice>(Fault::lost, launches));
        EXPECT_EQ(failures, 1);
        EXPECT_EQ(repeated->region(), unbroken->region());
        expect_same_bits(*repeated, *unbroken);
    }
}

// Fails in its second computation of forces at the same time.
class FailsOnceMoved : public PlainForce {
  public:
    void attach(ParticleSet&, std::size_t) override {}
    Work retrieve(ParticleSet& particles, Phases&) override {
        for (double& phi : particles[potential]) phi += 1;
        if (particles.region() != first_) throw RunError("too far");
        return {};
    }
    std::span<const FieldInfo> results() const override { return results_; }

  private:
    std::vector<FieldInfo> results_{field_info<Acceleration>(), field_info<Potential>()};
    Region first_ = lattice_atoms(27, 3, 1).region();
};

TEST(BarostatOfASimulation, undoes_a_move_whose_forces_fail) {
    const auto atoms = atoms_of(27);
    Simulation sim(atoms, 0.01);
    sim.add_force(std::make_shared<FailsOnceMoved>());
    hold(sim, {.every = 1, .pressure = 1, .longest_move = 0.05, .seed = 5});
    sim.step();
    const auto before = copy_of(*atoms);
    EXPECT_EQ(message_of<RunError>([&] { sim.step(); }), "too far");
    EXPECT_EQ(sim.step_count(), 1U);
    EXPECT_EQ(sim.barostat_state()[0], 0);
    EXPECT_EQ(atoms->region(), before->region());
    expect_same_bits(*atoms, *before);
}

TEST(BarostatOfASimulation, knows_gravity_in_a_box) {
    const auto stars = atoms_of(125);
    Simulation sim(stars, 1e-3);
    sim.add_force(gravity(0.3, 0.05, {.accuracy = 1e-4}));
    hold(sim, {.every = 2, .pressure = 0.5, .longest_move = 0.1, .seed = 5});
    sim.ensure_forces();
    const double before = conserved(sim);
    sim.run_steps(41);
    EXPECT_GT(sim.barostat_state()[1], 5);
    EXPECT_GT(std::abs(sim.barostat_state()[2]), 0.05);
    EXPECT_NEAR(conserved(sim), before, 2e-3);
}

class Brakes : public PlainForce {
  public:
    std::span<const FieldInfo> results() const override { return results_; }

  private:
    std::vector<FieldInfo> results_{field_info<Acceleration>()};
};

TEST(BarostatOfASimulation, refuses_what_it_cannot_hold) {
    constexpr Barostat barostat{.every = 1, .pressure = 1, .longest_move = 0.1};
    const auto message = [&](const std::shared_ptr<ParticleSet>& of, const std::function<void(Simulation&)>& prepare) {
        Simulation sim(of, 0.01);
        return message_of([&] {
            prepare(sim);
            sim.set_barostat(barostat);
        });
    };
    EXPECT_EQ(message(atoms_of(27), [](Simulation&) {}),
              "a barostat is given, but no thermostat: a pressure is held at a temperature");
    const auto open = std::make_shared<ParticleSet>(lattice_atoms(27, 1, 1));
    EXPECT_EQ(message(open, [](Simulation& sim) { sim.set_thermostat(langevin()); }),
              "a barostat is given, but the box is not periodic along all axes: it has no volume");
    EXPECT_EQ(message(atoms_of(27),
                      [](Simulation& sim) {
                          sim.set_thermostat(langevin());
                          sim.set_individual_steps(0.1);
                      }),
              "a barostat is given, but particles have time steps of their own: allowed is one for all");
    EXPECT_EQ(message(atoms_of(27),
                      [](Simulation& sim) {
                          sim.set_thermostat(langevin());
                          sim.add_force(std::make_shared<Brakes>());
                      }),
              "a barostat is given, but a force has no potential between particles: allowed are forces that have one, "
              "and no gas or external field");
}

TEST(BarostatOfASimulation, refuses_later_what_it_cannot_hold) {
    const auto atoms = atoms_of(27);
    Simulation sim(atoms, 0.01);
    hold(sim, {.every = 1, .pressure = 1, .longest_move = 0.1});
    EXPECT_NE(message_of([&] { sim.set_thermostat(nullptr); }), "");
    EXPECT_NE(message_of([&] { sim.set_individual_steps(0.1); }), "");
    EXPECT_NE(message_of([&] { sim.add_force(std::make_shared<Brakes>()); }), "");
    sim.step();
    atoms->set_region({});
    EXPECT_EQ(message_of([&] { sim.step(); }),
              "a barostat is given, but the box is not periodic along all axes: it has no volume");
}

}  // namespace trellis::barostat_test
