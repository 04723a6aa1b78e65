// Systems that a device advances by itself, compared with simulations of the same particles.
#include "trellis/ensembles/ensemble.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>

#include "trellis/devices/remote/open.hpp"
#include "trellis/ensembles/built_in.hpp"
#include "trellis/ensembles/ensemble_of.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/integrate/thermostats/andersen.hpp"
#include "trellis/integrate/thermostats/csvr.hpp"
#include "trellis/integrate/thermostats/langevin.hpp"
#include "trellis/integrate/thermostats/nose_hoover.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/ensembles/ensemble_of_atoms.hpp"

namespace trellis::ensemble_test {
namespace {

using namespace fields;

Simulation alone(const ParticleSet& particles, double timestep) {
    auto copy = std::make_shared<ParticleSet>(copy_of_atoms(particles));
    Simulation simulation(copy, timestep);
    simulation.keep_order(true);
    simulation.add_force(lennard_jones(1, 1, shifted().cutoff, Truncation::force_shifted));
    return simulation;
}

double largest_distance(const ParticleSet& a, const ParticleSet& b) {
    double largest = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        Vec3<double> d = a[position][k] - b[position][k];
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (a.region().periodic(axis)) {
                const double side = a.region().high[axis] - a.region().low[axis];
                d[axis] -= side * std::round(d[axis] / side);
            }
        largest = std::max(largest, std::sqrt(dot(d, d)));
    }
    return largest;
}

// Compares 100 steps of systems beside each other with a simulation of each. periodic: axes of all of them, 3; if not
// given, some are in open space.
void expect_equal_to_alone(const SystemSettings& settings, const std::function<std::unique_ptr<Thermostat>()>& make,
                           int periodic = 0) {
    const ParticleSet box = lattice_atoms(125, 3, 1), cluster = lattice_atoms(periodic == 0 ? 27 : 125, periodic, 2),
                      other = lattice_atoms(213, 3, 3);
    const ParticleSet listed = lattice_atoms(729, 3, 4), listed_cluster = lattice_atoms(512, periodic, 5);
    const ParticleSet* systems[] = {&box, &cluster, &other, &listed, &listed_cluster};
    const SystemSettings all[] = {settings, settings, settings, settings, settings};
    Ensemble ensemble = of_atoms(systems, all);
    const auto energies = ensemble.advance(100, 100);
    for (std::size_t k = 0; k < std::size(systems); ++k) {
        Simulation simulation = alone(*systems[k], settings.timestep);
        const std::shared_ptr<Thermostat> thermostat = make ? make() : nullptr;
        simulation.set_thermostat(thermostat);
        simulation.run_steps(100);
        EXPECT_LT(largest_distance(system_of(ensemble, k, *systems[k]), simulation.particles()), 1e-5) << k;
        EXPECT_NEAR(energies[k].kinetic, kinetic_energy(simulation.particles()), 1e-4 * energies[k].kinetic) << k;
        EXPECT_NEAR(energies[k].potential, potential_energy(simulation.particles()), 1e-3) << k;
        if (thermostat) {
            EXPECT_NEAR(energies[k].bath, thermostat->bath_energy(), 1e-3) << k;
        }
    }
}

TEST(Ensemble, MovesAsSimulations) { expect_equal_to_alone({.timestep = 0.002}, {}); }

TEST(Ensemble, MovesAsSimulationsWithLangevin) {
    const SystemSettings settings{
        .timestep = 0.002, .bath = Bath::langevin, .temperature = 0.8, .relaxation_time = 0.3, .seed = 7};
    expect_equal_to_alone(settings, [] { return std::make_unique<Langevin>(0.8, 0.3, 7); });
}

TEST(Ensemble, MovesAsSimulationsWithNoseHoover) {
    const SystemSettings settings{
        .timestep = 0.002, .bath = Bath::nose_hoover, .temperature = 0.8, .relaxation_time = 0.3, .chain = 4};
    expect_equal_to_alone(settings, [] { return std::make_unique<NoseHoover>(0.8, 0.3, 4); }, 3);
}

TEST(Ensemble, MovesAsSimulationsWithCsvr) {
    const SystemSettings settings{
        .timestep = 0.002, .bath = Bath::csvr, .temperature = 0.8, .relaxation_time = 0.3, .seed = 7};
    expect_equal_to_alone(settings, [] { return std::make_unique<Csvr>(0.8, 0.3, 7); });
}

TEST(Ensemble, MovesAsSimulationsWithAndersen) {
    const SystemSettings settings{
        .timestep = 0.002, .bath = Bath::andersen, .temperature = 0.8, .relaxation_time = 0.3, .seed = 7};
    expect_equal_to_alone(settings, [] { return std::make_unique<Andersen>(0.8, 0.3, 7); });
}

// The test's own kernel is compiled for another instruction set, whose blocks have another width.
TEST(Ensemble, OfAnInteractionOfOnesOwnIsThatOfTheLibrary) {
    const ParticleSet small = lattice_atoms(125, 3, 1), large = lattice_atoms(512, 3, 2);
    const ParticleSet* systems[] = {&small, &large};
    const SystemSettings settings[] = {{.timestep = 0.002}, {.timestep = 0.002}};
    Ensemble known = of_atoms(systems, settings), own = ensemble_of(shifted(), systems, settings);
    known.advance(50, 50);
    own.advance(50, 50);
    for (std::size_t k = 0; k < 2; ++k)
        EXPECT_LT(largest_distance(system_of(known, k, *systems[k]), system_of(own, k, *systems[k])), 1e-5) << k;
}

TEST(Ensemble, OfGravityIsDirectSummation) {
    const ParticleSet stars = lattice_atoms(64, 0, 4, 1);
    const ParticleSet* systems[] = {&stars};
    const SystemSettings settings[] = {{.timestep = 1e-3}};
    Ensemble ensemble = ensemble_of(checked_gravity(0.05, 1), systems, settings);
    ensemble.advance(100, 100);
    auto copy = std::make_shared<ParticleSet>(copy_of_atoms(stars));
    Simulation simulation(copy, 1e-3);
    simulation.keep_order(true);
    ForceSettings exact;
    exact.precision = Precision::double_;
    simulation.add_force(gravity(0.05, 1, exact));
    simulation.run_steps(100);
    EXPECT_LT(largest_distance(system_of(ensemble, 0, stars), simulation.particles()), 1e-5);
}

TEST(Ensemble, ConservesEnergyAndMomentum) {
    const ParticleSet box = lattice_atoms(125, 3, 1);
    const ParticleSet* systems[] = {&box, &box, &box};
    SystemSettings langevin{.timestep = 5e-4, .bath = Bath::langevin, .temperature = 1, .relaxation_time = 0.5};
    SystemSettings chain = langevin;
    chain.bath = Bath::nose_hoover;
    const SystemSettings settings[] = {{.timestep = 5e-4}, langevin, chain};
    Ensemble ensemble = of_atoms(systems, settings);
    const auto energies = ensemble.advance(2000, 1);
    for (std::size_t k = 0; k < 3; ++k) {
        const auto total = [&](std::size_t sample) {
            const SystemEnergies& now = energies[3 * sample + k];
            return now.potential + now.kinetic + now.bath;
        };
        EXPECT_NEAR(total(1999), total(0), 2e-5 * energies[k].kinetic) << k;
        EXPECT_GT(std::abs(energies[k].kinetic - energies[3 * 1999 + k].kinetic), 1e-3);
    }
    Vec3<double> before{0, 0, 0}, after{0, 0, 0};
    const ParticleSet now = system_of(ensemble, 0, box);
    for (std::size_t k = 0; k < box.size(); ++k) {
        before += box[mass][k] * box[velocity][k];
        after += now[mass][k] * now[velocity][k];
    }
    EXPECT_LT(std::sqrt(dot(after - before, after - before)), 1e-4);
}

TEST(Ensemble, KeepsParticlesWithinItsContainer) {
    ParticleSet hot = lattice_atoms(8, 0, 1);
    for (auto& v : hot[velocity]) v *= 5;
    const ParticleSet* systems[] = {&hot};
    SystemSettings settings{.timestep = 5e-4};
    settings.container = {.radius = 3, .stiffness = 200};
    Ensemble ensemble = of_atoms(systems, std::span(&settings, 1));
    const auto energies = ensemble.advance(20000, 1000);
    EXPECT_NEAR(energies.back().potential + energies.back().kinetic, energies[0].potential + energies[0].kinetic, 0.1);
    const ParticleSet now = system_of(ensemble, 0, hot);
    Vec3<double> centre{0, 0, 0};
    double total = 0;
    for (std::size_t k = 0; k < now.size(); ++k) centre += now[mass][k] * now[position][k], total += now[mass][k];
    for (std::size_t k = 0; k < now.size(); ++k) {
        const Vec3<double> d = now[position][k] - centre / total;
        EXPECT_LT(std::sqrt(dot(d, d)), 5);
    }
}

// The same bits: beside others, in calls of any length, on one device or two, and from a state.
void expect_same_bits(const ParticleSet& box, const SystemSettings& settings) {
    const ParticleSet cluster = lattice_atoms(27, 0, 2);
    const ParticleSet* systems[] = {&cluster, &box, &cluster};
    const SystemSettings all[] = {settings, settings, settings};
    Ensemble together = of_atoms(systems, all);
    together.advance(60, 60);

    const ParticleSet* one[] = {&box};
    Ensemble single = of_atoms(one, std::span(all, 1));
    for (int call = 0; call < 6; ++call) single.advance(10, 5);

    Ensemble shared = of_atoms(systems, all, Devices({open_device("cpu"), open_device("rehearsal:0")}));
    shared.advance(20, 20);
    const EnsembleState middle = shared.state();
    shared.advance(40, 40);
    const ParticleSet a = system_of(together, 1, box), b = system_of(single, 0, box), c = system_of(shared, 1, box);
    shared.restore(middle);
    shared.advance(40, 10);
    const ParticleSet d = system_of(shared, 1, box);
    for (std::size_t k = 0; k < box.size(); ++k) {
        EXPECT_EQ(a[position][k], b[position][k]);
        EXPECT_EQ(a[position][k], c[position][k]);
        EXPECT_EQ(a[velocity][k], d[velocity][k]);
    }
}

constexpr SystemSettings quenched{.timestep = 0.002, .bath = Bath::quench, .tolerance = 1e-3};

TEST(Ensemble, HasTheSameBitsHoweverItIsAdvanced) { expect_same_bits(lattice_atoms(125, 3, 1), with_langevin); }
TEST(Ensemble, HasTheSameBitsHoweverItIsQuenched) { expect_same_bits(lattice_atoms(125, 3, 1), quenched); }
// Lists are made again some times in these 60 steps, and always where calls begin.
TEST(Ensemble, HasTheSameBitsWithLists) { expect_same_bits(lattice_atoms(729, 3, 1), with_langevin); }

// Atoms are so fast that blocks of neighbours are made again several times.
TEST(Ensemble, HasTheSameBitsWithBlocksOfNeighbours) {
    ParticleSet hot = lattice_atoms(213, 3, 1);
    for (auto& v : hot[velocity]) v *= 6;
    expect_same_bits(hot, {.timestep = 0.001});
}

// Values are rounded, system by system; a call for potentials alone changes no bits.
TEST(Ensemble, BringsPotentialEnergiesAlone) {
    const ParticleSet box = lattice_atoms(125, 3, 1), cluster = lattice_atoms(27, 0, 2);
    const ParticleSet* systems[] = {&cluster, &box, &cluster};
    const SystemSettings settings[] = {with_langevin, with_langevin, {.timestep = 0.001}};
    const auto lost = std::make_shared<FaultyDevice>(Fault::lost, 1);
    Ensemble all = of_atoms(systems, settings);
    Ensemble alone = of_atoms(systems, settings, Devices({lost, open_device("cpu")}));
    for (const std::uint64_t samples : {4, 1, 5}) {
        const auto expected = all.advance(5 * samples, 5);
        const std::vector<float> found = alone.advance_potentials(5 * samples, 5);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t k = 0; k < found.size(); ++k)
            EXPECT_EQ(found[k], static_cast<float>(expected[k % samples * 3 + k / samples].potential)) << k;
    }
    EXPECT_EQ(alone.take_device_notes().size(), 1U);
    const auto expected = all.advance(5, 5), found = alone.advance(5, 5);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(found[k].kinetic, expected[k].kinetic);
    EXPECT_EQ(alone.state().columns, all.state().columns);
}

// Atoms that fly through each other's lists: forces equal those of new lists.
TEST(Ensemble, RenewsListsInTime) {
    for (const bool periodic : {true, false}) {
        ParticleSet hot = lattice_atoms(512, periodic ? 3 : 0, 3);
        for (auto& v : hot[velocity]) v *= 5;
        const ParticleSet* systems[] = {&hot};
        const SystemSettings settings[] = {{.timestep = 5e-4}}, short_step[] = {{.timestep = 1e-9}};
        Ensemble ensemble = of_atoms(systems, settings);
        ensemble.advance(600, 600);
        const ParticleSet now = system_of(ensemble, 0, hot);
        EXPECT_GT(largest_distance(now, hot), 2);
        const ParticleSet* again[] = {&now};
        Ensemble fresh = of_atoms(again, short_step);
        fresh.advance(1, 1);
        const ParticleSet right = system_of(fresh, 0, now);
        for (std::size_t k = 0; k < hot.size(); ++k)
            for (std::size_t axis = 0; axis < 3; ++axis)
                ASSERT_NEAR(now[acceleration][k][axis], right[acceleration][k][axis],
                            1e-3 + 1e-4 * std::abs(right[acceleration][k][axis]));
    }
}

// Atoms rest in a box that shrinks: pairs that come within the cutoff were far beyond it when the call began. The last
// step has no move, since a move would make new lists for its forces.
TEST(Ensemble, RenewsListsAfterMovesOfTheVolume) {
    const ParticleSet thin = lattice_atoms(512, 3, 3, 1.5);
    const ParticleSet* systems[] = {&thin};
    const SystemSettings pressed[] = {{.timestep = 1e-9,
                                       .bath = Bath::langevin,
                                       .temperature = 1,
                                       .relaxation_time = 1,
                                       .barostat = {.every = 2, .pressure = 20, .longest_move = 0.05, .seed = 5}}};
    Ensemble ensemble = of_atoms(systems, pressed);
    const auto energies = ensemble.advance(121, 121);
    EXPECT_LT(ensemble.volumes()[0], 0.6 * std::pow(8 * 1.5, 3));
    const ParticleSet now = system_of(ensemble, 0, thin);
    const ParticleSet* again[] = {&now};
    const SystemSettings at_rest[] = {{.timestep = 1e-9}};
    Ensemble fresh = of_atoms(again, at_rest);
    const double potential = fresh.advance(1, 1)[0].potential;
    EXPECT_NEAR(energies[0].potential, potential, 1e-5 * std::abs(potential));
    const ParticleSet right = system_of(fresh, 0, now);
    for (std::size_t k = 0; k < now.size(); ++k)
        for (std::size_t axis = 0; axis < 3; ++axis)
            ASSERT_NEAR(now[acceleration][k][axis], right[acceleration][k][axis], 1e-3) << k;
}

TEST(Ensemble, GoesToAMinimumAndStaysThere) {
    const ParticleSet cluster = lattice_atoms(27, 0, 2);
    const ParticleSet* systems[] = {&cluster};
    const SystemSettings settings[] = {
        {.timestep = 0.003, .bath = Bath::quench, .tolerance = 1e-3, .longest_move = 0.1}};
    Ensemble ensemble = of_atoms(systems, settings);
    const auto energies = ensemble.advance(2000, 10);
    double before = 0;  // potential energy where atoms last rested
    for (const SystemEnergies& now : energies)
        if (now.kinetic == 0) {
            EXPECT_LE(now.potential, before);
            before = now.potential;
        }
    const ParticleSet there = system_of(ensemble, 0, cluster);
    Simulation simulation = alone(there, 0.003);
    simulation.run_steps(1);
    EXPECT_NEAR(energies.back().potential, potential_energy(simulation.particles()), 1e-4);
    for (std::size_t k = 0; k < there.size(); ++k) {
        const Vec3<double> force = there[mass][k] * there[acceleration][k];
        EXPECT_LE(std::sqrt(dot(force, force)), 1e-3);
        EXPECT_EQ(there[velocity][k], (Vec3<double>{0, 0, 0}));
    }
    EXPECT_LT(energies.back().potential, energies.front().potential - 1);
    ensemble.advance(100, 100);
    EXPECT_LT(largest_distance(there, system_of(ensemble, 0, cluster)), 1e-15);
}

TEST(Ensemble, AccountsForTheEnergyOfChanges) {
    const ParticleSet box = lattice_atoms(125, 3, 1);
    for (const Bath bath : {Bath::none, Bath::langevin, Bath::nose_hoover, Bath::csvr, Bath::andersen}) {
        const ParticleSet* systems[] = {&box};
        const SystemSettings settings[] = {{.timestep = 1e-4, .bath = bath, .temperature = 1, .relaxation_time = 1}};
        Ensemble ensemble = of_atoms(systems, settings);
        const SystemEnergies before = ensemble.advance(50, 50)[0];
        const double hotter[] = {1.5}, faster[] = {std::sqrt(1.5)};
        ensemble.set_temperatures(hotter);
        ensemble.scale_velocities(faster);
        const SystemEnergies after = ensemble.advance(1, 1)[0];
        EXPECT_NEAR(after.kinetic, 1.5 * before.kinetic, 0.02 * before.kinetic) << static_cast<int>(bath);
        EXPECT_NEAR(after.potential + after.kinetic + after.bath, before.potential + before.kinetic + before.bath,
                    1e-4 * before.kinetic);
        EXPECT_EQ(ensemble.temperatures()[0], 1.5);
    }
}

TEST(Ensemble, RefusesValuesOutOfRange) {
    const ParticleSet small = lattice_atoms(27, 3, 1), cluster = lattice_atoms(8, 0, 1);
    const ParticleSet* in_box[] = {&small};
    const ParticleSet* open[] = {&cluster};
    const SystemSettings usual[] = {{.timestep = 0.001}}, still[] = {{.timestep = 0}};
    EXPECT_THROW(of_atoms(in_box, usual), InputError);  // a box shorter than two cutoffs
    EXPECT_THROW(ensemble_of(checked_gravity(0.05, 1), std::span<const ParticleSet* const>(in_box), usual), InputError);
    const SystemSettings no_tolerance[] = {{.timestep = 0.001, .bath = Bath::quench}};
    EXPECT_THROW(of_atoms(open, still), InputError);
    EXPECT_THROW(of_atoms(open, no_tolerance), InputError);
    EXPECT_THROW(of_atoms({}, {}), InputError);
    Ensemble ensemble = of_atoms(open, usual);
    EXPECT_THROW(ensemble.advance(10, 3), InputError);
    EXPECT_THROW(ensemble.advance(0, 1), InputError);
    EXPECT_THROW(ensemble.set_temperatures(std::vector{1.0, 2.0}), InputError);
    EXPECT_THROW(ensemble.scale_velocities(std::vector{std::nan("")}), InputError);
}

}  // namespace
}  // namespace trellis::ensemble_test
