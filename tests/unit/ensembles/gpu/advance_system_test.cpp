// Systems by the kernel of GPUs, in emulated threads, against those of the processor.
#include "trellis/ensembles/gpu/advance_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "trellis/ensembles/built_in.hpp"
#include "trellis/ensembles/built_in_kernel.hpp"
#include "trellis/ensembles/ensemble.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"
#include "unit/ensembles/gpu/emulated_threads.hpp"
#include "unit/ensembles/lattice_atoms.hpp"

namespace trellis::advance_system_test {
namespace {

using namespace fields;

const LennardJones atoms(1, 1, 2.5, Truncation::force_shifted);

template <class I>
Ensemble ensemble(const SystemKernels& kernels, const std::vector<I>& interactions,
                  const std::vector<ParticleSet>& systems, const std::vector<SystemSettings>& settings) {
    std::vector<const ParticleSet*> all;
    for (const ParticleSet& each : systems) all.push_back(&each);
    return Ensemble(kernels, std::as_bytes(std::span(interactions)), all, settings);
}

std::vector<ParticleSet> some_systems() {
    std::vector<ParticleSet> systems;
    systems.push_back(lattice_atoms(216, 3, 1));
    systems.push_back(lattice_atoms(13, 0, 2));
    systems.push_back(lattice_atoms(125, 1, 3));
    return systems;
}

// The largest difference of a column, over the largest value of b.
double difference(const EnsembleState& a, const EnsembleState& b, std::size_t component) {
    const std::size_t slots = b.columns.size() / system_columns::changing;
    double apart = 0, largest = 1e-300;
    for (std::size_t k = component * slots; k < (component + 3) * slots; ++k) {
        apart = std::max(apart, std::abs(a.columns[k] - b.columns[k]));
        largest = std::max(largest, std::abs(b.columns[k]));
    }
    return apart / largest;
}

void expect_equal(Ensemble& there, Ensemble& here, std::uint64_t steps) {
    const auto energies = there.advance(steps, steps / 2), known = here.advance(steps, steps / 2);
    ASSERT_EQ(energies.size(), known.size());
    for (std::size_t k = 0; k < known.size(); ++k) {
        EXPECT_NEAR(energies[k].potential, known[k].potential, 1e-4 + 1e-5 * std::abs(known[k].potential)) << k;
        EXPECT_NEAR(energies[k].kinetic, known[k].kinetic, 1e-4 * known[k].kinetic) << k;
        EXPECT_NEAR(energies[k].bath, known[k].bath, 1e-3) << k;
    }
    const EnsembleState a = there.state(), b = here.state();
    EXPECT_LT(difference(a, b, system_columns::position), 1e-5);
    EXPECT_LT(difference(a, b, system_columns::velocity), 1e-4);
    EXPECT_LT(difference(a, b, system_columns::acceleration), 1e-4);
}

// Compares calls for potential energies alone.
void expect_equal_potentials(Ensemble& there, Ensemble& here) {
    const std::vector<float> energies = there.advance_potentials(6, 2), known = here.advance_potentials(6, 2);
    ASSERT_EQ(energies.size(), known.size());
    for (std::size_t k = 0; k < known.size(); ++k)
        EXPECT_NEAR(energies[k], known[k], 1e-4 + 1e-5 * std::abs(known[k])) << k;
}

bool same_bits(const EnsembleState& a, const EnsembleState& b) {
    for (std::size_t k = 0; k < a.systems.size(); ++k)
        if (std::memcmp(&a.systems[k].potential, &b.systems[k].potential, sizeof(double)) != 0 ||
            std::memcmp(&a.systems[k].bath_energy, &b.systems[k].bath_energy, sizeof(double)) != 0)
            return false;
    return a.columns == b.columns;
}

class Bathed : public testing::TestWithParam<Bath> {};

TEST_P(Bathed, MovesAsOnTheProcessor) {
    auto systems = some_systems();
    if (GetParam() == Bath::nose_hoover) {  // not in open space
        systems.clear();
        systems.push_back(lattice_atoms(216, 3, 1));
        systems.push_back(lattice_atoms(125, 3, 2));
    }
    SystemSettings settings{
        .timestep = 0.002, .bath = GetParam(), .temperature = 0.8, .relaxation_time = 0.3, .chain = 4, .seed = 7};
    const std::vector<SystemSettings> all(systems.size(), settings);
    const std::vector<LennardJones> forces(systems.size(), atoms);
    const SystemKernels kernels = built_in_systems(BuiltIn::lennard_jones);
    Ensemble there = ensemble(by_threads<LennardJones, Emulation{1}>(kernels), forces, systems, all);
    Ensemble here = ensemble(kernels, forces, systems, all);
    expect_equal(there, here, 60);
    expect_equal_potentials(there, here);
}

INSTANTIATE_TEST_SUITE_P(SystemByThreads, Bathed,
                         testing::Values(Bath::none, Bath::langevin, Bath::nose_hoover, Bath::csvr, Bath::andersen));

// The bits depend neither on the number of threads, nor on the memory of columns, nor on the division into calls.
TEST(SystemByThreads, HasTheSameBitsForAnyNumberOfThreads) {
    std::vector<ParticleSet> systems = some_systems();
    systems.push_back(lattice_atoms(1100, 3, 4));  // more than there are partial sums
    SystemSettings settings{
        .timestep = 0.002, .bath = Bath::langevin, .temperature = 0.8, .relaxation_time = 0.3, .seed = 7};
    std::vector<SystemSettings> all(4, settings);
    all[1].container = {.radius = 1, .stiffness = 100};
    all[2].bath = Bath::quench;
    all[2].tolerance = 1e-3;
    const std::vector<LennardJones> forces(4, atoms);
    const SystemKernels kernels = built_in_systems(BuiltIn::lennard_jones);
    Ensemble one = ensemble(by_threads<LennardJones, Emulation{1}>(kernels), forces, systems, all);
    Ensemble four = ensemble(by_threads<LennardJones, Emulation{4}>(kernels), forces, systems, all);
    Ensemble elsewhere =
        ensemble(by_threads<LennardJones, Emulation{.threads = 2, .at_hand = false}>(kernels), forces, systems, all);
    one.advance(6, 6);
    four.advance(6, 3);
    elsewhere.advance(4, 4);
    elsewhere.advance(2, 1);
    EXPECT_TRUE(same_bits(four.state(), one.state()));
    EXPECT_TRUE(same_bits(elsewhere.state(), one.state()));
    Ensemble here = ensemble(kernels, forces, systems, all);
    here.advance(6, 6);
    EXPECT_LT(difference(one.state(), here.state(), system_columns::position), 1e-6);
}

// The accelerations of a state, beside sums over all pairs in double precision: the largest difference, over the
// largest.
double from_direct_sums(const EnsembleState& state, const System& system, const LennardJones& interaction) {
    const std::size_t slots = state.columns.size() / system_columns::changing;
    const auto vector = [&](std::size_t component, std::size_t k) {
        const double* first = state.columns.data() + component * slots + system.first + k;
        return Vec3<double>{first[0], first[slots], first[2 * slots]};
    };
    double apart = 0, largest = 0;
    for (std::size_t k = 0; k < system.count; ++k) {
        Vec3<double> force{0, 0, 0};
        for (std::size_t other = 0; other < system.count; ++other) {
            Vec3<double> d = vector(system_columns::position, other) - vector(system_columns::position, k);
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (system.box[axis] > 0) d[axis] -= system.box[axis] * std::round(d[axis] / system.box[axis]);
            const double r2 = dot(d, d), cutoff = interaction.cutoff;
            if (other == k || r2 >= cutoff * cutoff) continue;
            const auto slope = [](double r) { return 24 * std::pow(r, -7) - 48 * std::pow(r, -13); };  // dU / dr
            force += ((slope(std::sqrt(r2)) - slope(cutoff)) / std::sqrt(r2)) * d;
        }
        const Vec3<double> error = vector(system_columns::acceleration, k) - force;  // of atoms of mass 1
        apart = std::max(apart, std::sqrt(dot(error, error)));
        largest = std::max(largest, std::sqrt(dot(force, force)));
    }
    return apart / largest;
}

ParticleSet of_unit_mass(ParticleSet atoms) {
    for (double& each : atoms[mass]) each = 1;
    return atoms;
}

// Hot atoms, whose lists are renewed several times, in boxes and in open space.
TEST(SystemByThreads, HasTheBitsOfAllPairsWithLists) {
    std::vector<ParticleSet> systems;
    for (const int axes : {0, 1, 3}) systems.push_back(of_unit_mass(lattice_atoms(least_listed + 10, axes, 9)));
    systems.push_back(of_unit_mass(lattice_atoms(least_listed - 1, 3, 9)));  // has none
    const std::vector<SystemSettings> all(
        4, {.timestep = 0.004, .bath = Bath::langevin, .temperature = 2, .relaxation_time = 0.1, .seed = 7});
    const std::vector<LennardJones> forces(4, atoms);
    const SystemKernels kernels = built_in_systems(BuiltIn::lennard_jones);
    Ensemble one = ensemble(by_threads<LennardJones, Emulation{1}>(kernels), forces, systems, all);
    Ensemble four = ensemble(by_threads<LennardJones, Emulation{4}>(kernels), forces, systems, all);
    Ensemble elsewhere =
        ensemble(by_threads<LennardJones, Emulation{.threads = 2, .at_hand = false}>(kernels), forces, systems, all);
    Ensemble pairs =
        ensemble(by_threads<LennardJones, Emulation{.threads = 1, .lists = false}>(kernels), forces, systems, all);
    one.advance(60, 60);
    four.advance(47, 47), four.advance(13, 13);
    elsewhere.advance(3, 3), elsewhere.advance(57, 57);
    pairs.advance(60, 60);
    EnsembleState listed = one.state(), plain = pairs.state();
    EXPECT_TRUE(same_bits(four.state(), listed));
    EXPECT_TRUE(same_bits(elsewhere.state(), listed));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(from_direct_sums(listed, listed.systems[k], atoms), 2e-5) << k;
    for (EnsembleState* each : {&listed, &plain})  // all but the positions for which lists were made
        each->columns.resize(moving_columns * each->columns.size() / system_columns::changing);
    EXPECT_TRUE(same_bits(listed, plain));
}

// After ten steps both return the energies in all Hamiltonians, which changes no bits.
void expect_known_in_all(Ensemble& there, Ensemble& here, Ensemble& unaware) {
    there.evaluate_in_all();
    here.evaluate_in_all();
    there.advance(10, 10), here.advance(10, 10), unaware.advance(10, 10);
    EXPECT_TRUE(same_bits(there.state(), unaware.state()));
    const auto expected = here.potential_in_all();
    ASSERT_EQ(there.potential_in_all().size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_NEAR(there.potential_in_all()[k], expected[k], 1e-5 * std::abs(expected[k]));
}

// Lists made for a cutoff do not serve a longer one; a visit to it leaves nothing behind.
TEST(SystemByThreads, HasListsOfEachHamiltonian) {
    std::vector<ParticleSet> systems;
    for (unsigned seed : {1U, 2U}) systems.push_back(of_unit_mass(lattice_atoms(512, 3, seed)));
    const std::vector<SystemSettings> all(2, {.timestep = 0.002});
    const std::vector<LennardJones> forces{{1, 1, 2.0, Truncation::force_shifted},
                                           {1, 1, 3.5, Truncation::force_shifted}};
    const SystemKernels kernels = built_in_systems(BuiltIn::lennard_jones);
    Ensemble there = ensemble(by_threads<LennardJones, Emulation{2}>(kernels), forces, systems, all);
    Ensemble here = ensemble(kernels, forces, systems, all);
    Ensemble unaware = ensemble(by_threads<LennardJones, Emulation{2}>(kernels), forces, systems, all);
    expect_known_in_all(there, here, unaware);
    for (Ensemble* each : {&there, &here}) each->change(0, {.hamiltonian = 1});
    expect_equal(there, here, 10);
    const EnsembleState after = there.state();
    EXPECT_LT(from_direct_sums(after, after.systems[0], forces[1]), 2e-5);
}

TEST(SystemByThreads, HoldsThePressureAsOnTheProcessor) {
    std::vector<ParticleSet> systems;
    for (const std::size_t count : {125, 512}) systems.push_back(lattice_atoms(count, 3, 3));
    const std::vector<SystemSettings> all(2,
                                          {.timestep = 0.002,
                                           .bath = Bath::langevin,
                                           .temperature = 0.8,
                                           .relaxation_time = 0.3,
                                           .seed = 7,
                                           .barostat = {.every = 3, .pressure = 1, .longest_move = 0.05, .seed = 5}});
    const std::vector<LennardJones> forces(2, atoms);
    const SystemKernels kernels = built_in_systems(BuiltIn::lennard_jones);
    Ensemble there = ensemble(by_threads<LennardJones, Emulation{1}>(kernels), forces, systems, all);
    Ensemble here = ensemble(kernels, forces, systems, all);
    expect_equal(there, here, 60);
    for (std::size_t k = 0; k < here.volumes().size(); ++k)
        EXPECT_NEAR(there.volumes()[k], here.volumes()[k], 1e-6 * here.volumes()[k]);
    const EnsembleState once = there.state(), known = here.state();
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(once.systems[k].barostat.tried, 20U);
        EXPECT_EQ(once.systems[k].barostat.accepted, known.systems[k].barostat.accepted);
        EXPECT_GT(once.systems[k].barostat.accepted, 0U);
        EXPECT_LT(once.systems[k].barostat.accepted, 20U);
    }
    Ensemble four = ensemble(by_threads<LennardJones, Emulation{4}>(kernels), forces, systems, all);
    Ensemble elsewhere =
        ensemble(by_threads<LennardJones, Emulation{.threads = 2, .at_hand = false}>(kernels), forces, systems, all);
    four.advance(60, 60);
    for (const std::uint64_t steps : {3, 30, 27}) elsewhere.advance(steps, steps);
    EXPECT_TRUE(same_bits(four.state(), once));
    EXPECT_TRUE(same_bits(elsewhere.state(), once));
}

TEST(SystemByThreads, FeelsItsContainerAndGoesToItsMinimum) {
    std::vector<ParticleSet> systems;
    systems.push_back(lattice_atoms(13, 0, 5));
    systems.push_back(lattice_atoms(40, 0, 6));
    systems.push_back(lattice_atoms(13, 0, 5));
    std::vector<SystemSettings> all(3, {.timestep = 0.002});
    all[0].container = all[1].container = {.radius = 1.2, .stiffness = 100};
    all[2].bath = Bath::quench;
    all[2].tolerance = 1e-3;
    const std::vector<LennardJones> forces(3, {1, 1, 20, Truncation::plain});
    const SystemKernels kernels = built_in_systems(BuiltIn::lennard_jones);
    Ensemble there = ensemble(by_threads<LennardJones, Emulation{1}>(kernels), forces, systems, all);
    Ensemble here = ensemble(kernels, forces, systems, all);
    expect_equal(there, here, 60);
    const double before = there.advance(1, 1)[2].potential, minimum = there.advance(2000, 2000)[2].potential;
    EXPECT_LT(minimum, before);
    EXPECT_NEAR(minimum, here.advance(2001, 2001)[2].potential, 1e-4);
    EXPECT_EQ(there.state().systems[2].quench.timestep, 0);  // it stays there
}

TEST(SystemByThreads, HasItsEnergyInAllHamiltoniansAndChangesToThem) {
    const auto systems = some_systems();
    const std::vector<SystemSettings> all(
        3, {.timestep = 0.002, .bath = Bath::langevin, .temperature = 0.8, .relaxation_time = 0.3, .seed = 7});
    std::vector<LennardJones> forces(3, atoms);
    forces[1].epsilon = 1.3;
    const SystemKernels kernels = built_in_systems(BuiltIn::lennard_jones);
    Ensemble there = ensemble(by_threads<LennardJones, Emulation{1}>(kernels), forces, systems, all);
    Ensemble here = ensemble(kernels, forces, systems, all);
    Ensemble unaware = ensemble(by_threads<LennardJones, Emulation{1}>(kernels), forces, systems, all);
    expect_known_in_all(there, here, unaware);
    for (Ensemble* each : {&there, &here})
        each->change(0, {.temperature = 0.5, .velocity_factor = 0.9, .hamiltonian = 1});
    expect_equal(there, here, 10);
}

TEST(SystemByThreads, HasGravityAndNoPairs) {
    std::vector<ParticleSet> stars;
    stars.push_back(lattice_atoms(64, 0, 8));
    const std::vector<SystemSettings> settings{{.timestep = 1e-3}};
    const auto expect_equal_of = [&]<class I>(BuiltIn which, const I& interaction) {
        const SystemKernels kernels = built_in_systems(which);
        const std::vector<I> forces(1, interaction);
        Ensemble there = ensemble(by_threads<I, Emulation{1}>(kernels), forces, stars, settings);
        Ensemble here = ensemble(kernels, forces, stars, settings);
        expect_equal(there, here, 50);
    };
    expect_equal_of(BuiltIn::gravity, checked_gravity(0.05, 1));
    expect_equal_of(BuiltIn::no_pairs, NoPairs{});
}

}  // namespace
}  // namespace trellis::advance_system_test
