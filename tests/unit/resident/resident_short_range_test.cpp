// Forces of short range on particles that stay on a device: against direct sums, and against the same run on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <tuple>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/particles/image.hpp"
#include "trellis/resident/kernels/short_range_kernels.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/error_message.hpp"
#include "unit/resident/fluid.hpp"
#include "unit/run/moving_particles.hpp"

namespace trellis::resident_short_range_test {

constexpr double timestep = 0.004, cutoff = 2.5;

using Make = std::function<std::shared_ptr<ShortRangeForce>(const ShortRangeSettings&)>;

std::shared_ptr<ShortRangeForce> one_kind(const ShortRangeSettings& settings) {
    return lennard_jones(1, 1, cutoff, Truncation::force_shifted, settings);
}

std::shared_ptr<ShortRangeForce> two_kinds(const ShortRangeSettings& settings) {
    Mixture mixture;
    mixture.kinds = {{"a", 1, 1}, {"b", 0.5, 0.9}};
    mixture.cutoff = cutoff;
    mixture.truncation = Truncation::switched;
    return lennard_jones(mixture, settings);
}

// The largest difference of accelerations and potentials from direct sums in double precision, over the largest.
double error(const ShortRangeForce& force, const ParticleSet& particles) {
    double apart = 0, largest = 0;
    std::array<double, 5> sums{};
    for (std::uint32_t row = 0; row < particles.size(); ++row) {
        force.reference(particles, particles, row, row, 0, sums.data());
        const Vec3<double> exact{sums[0], sums[1], sums[2]};
        apart = std::max({apart, magnitude(particles[acceleration][row] - exact),
                          std::abs(particles[potential][row] - sums[3]), std::abs(particles[virial][row] - sums[4])});
        largest = std::max(largest, magnitude(exact));
    }
    return apart / largest;
}

double energy_of(const ParticleSet& particles) { return kinetic_energy(particles) + potential_energy(particles); }

class DeviceResidentShortRange : public testing::TestWithParam<std::tuple<int, bool>> {
  protected:
    static int axes() { return std::get<0>(GetParam()); }
    static Make make() { return std::get<1>(GetParam()) ? Make(two_kinds) : Make(one_kind); }
};

// Hot enough for lists that are outgrown before they are due.
TEST_P(DeviceResidentShortRange, is_that_of_the_host) {
    for (const Precision precision : {Precision::double_, Precision::single_}) {
        const ShortRangeSettings settings{.reuse_steps = 25, .precision = precision};
        const auto on_host = std::make_shared<ParticleSet>(fluid(1000, axes()));
        Simulation host(on_host, timestep);
        host.keep_order(true);
        ShortRangeSettings on_device = settings;
        on_device.device = open_device("cpu");
        const auto force = make()(on_device);
        host.add_force(force);
        ParticleSet there = fluid(1000, axes());
        ResidentSimulation resident(there, make()(settings), timestep, open_device("cpu"));
        resident.compute_forces();
        resident.download(there);
        const double energy = energy_of(there);
        for (int step = 0; step < 60; ++step) {
            host.step();
            resident.step();
        }
        resident.download(there);
        EXPECT_LT(difference_by_row(there, *on_host), precision == Precision::single_ ? 2e-3 : 1e-9);
        EXPECT_LT(error(*force, there), precision == Precision::single_ ? 1e-5 : 1e-12);
        EXPECT_NEAR(energy_of(there), energy, 2e-3 * kinetic_energy(there));
        EXPECT_EQ(resident.list_use().constructions, force->list_use().constructions);
        EXPECT_EQ(resident.list_use().reuses, force->list_use().reuses);
        EXPECT_EQ(resident.list_use().early, force->list_use().early);
        EXPECT_GT(resident.list_use().early, 0U);
        EXPECT_EQ(resident.work().pairs, host.work().pairs);
    }
}

INSTANTIATE_TEST_SUITE_P(Along, DeviceResidentShortRange, testing::Combine(testing::Range(0, 4), testing::Bool()),
                         [](const auto& of) {
                             return std::to_string(std::get<0>(of.param)) + "_axes_" +
                                    (std::get<1>(of.param) ? "two_kinds" : "one_kind");
                         });

// The numbers of bytes sent and received in a reusing step.
std::array<std::uint64_t, 2> bytes_of_reusing_step(std::size_t size) {
    ParticleSet atoms = fluid(size, 3);
    ResidentSimulation sim(atoms, one_kind({}), timestep, open_device("cpu"));
    sim.run_steps(2);
    EXPECT_EQ(sim.list_use().reuses, 2U);
    return {sim.device_times().bytes_up, sim.device_times().bytes_down};
}

TEST(DeviceResidentShortRangeSteps, that_reuse_lists_move_no_particles) {
    const auto few = bytes_of_reusing_step(200), many = bytes_of_reusing_step(5000);
    EXPECT_EQ(few, many);
    EXPECT_EQ(many[0], 0U);
    EXPECT_EQ(many[1], sizeof(ResidentValues));
}

// The same for twice the same run.
TEST(DeviceResidentShortRangeSteps, are_the_same_to_the_bit) {
    const auto run = [] {
        ParticleSet atoms = fluid(1000, 3);
        ResidentSimulation sim(atoms, two_kinds({}), timestep, open_device("cpu"));
        sim.run_steps(50);
        sim.save(atoms);
        return copy_of(atoms);
    };
    expect_same_bits(*run(), *run());
}

std::vector<ExcludedPair> bonds(std::size_t size) {
    std::vector<ExcludedPair> pairs;
    for (std::uint64_t i = 0; i + 1 < size; i += 3) pairs.push_back({i, i + 1, i % 2 == 0 ? 0 : 0.4});
    return pairs;
}

TEST(DeviceResidentShortRangeSteps, leave_out_excluded_pairs) {
    ParticleSet atoms = fluid(500, 2);
    const auto force = one_kind({.precision = Precision::double_, .exclude = bonds(500)});
    ResidentSimulation sim(atoms, force, timestep, open_device("cpu"));
    sim.run_steps(10);
    sim.download(atoms);
    EXPECT_LT(error(*force, atoms), 1e-12);
    EXPECT_GT(error(*one_kind({}), atoms), 1e-3);
}

// A run is stopped and resumed after every step, also while lists are reused.
TEST(DeviceResidentShortRangeSteps, resume_with_the_same_bits) {
    for (const std::uint32_t reuse_steps : {1U, 7U}) {
        const auto begin = [&](ParticleSet& atoms) {
            return std::make_unique<ResidentSimulation>(atoms, two_kinds({.reuse_steps = reuse_steps}), timestep,
                                                        open_device("cpu"));
        };
        ParticleSet start = fluid(700, 3), kept = fluid(700, 3), expected = fluid(700, 3);
        for (ParticleSet* atoms : {&start, &kept, &expected}) atoms->add(image);
        const auto unbroken = begin(start);
        begin(kept)->save(kept);  // saved without forces or lists
        for (std::uint64_t step = 0; step < 30; ++step) {
            unbroken->step();
            const auto resumed = begin(kept);
            if (step > 0) resumed->resume(timestep * static_cast<double>(step), step, kept);
            const auto again = copy_of(kept);
            resumed->save(*again);
            if (step > 0) expect_same_bits(*again, kept);
            resumed->step();
            resumed->save(kept);
            unbroken->save(expected);
            ASSERT_NO_FATAL_FAILURE(expect_same_bits(kept, expected)) << "step " << step;
        }
        EXPECT_GT(std::ranges::count_if(expected[image], [](const auto& of) { return magnitude(of) > 0; }), 0);
    }
}

TEST(DeviceResidentShortRangeSteps, continue_with_a_spare_bit_for_bit) {
    const auto run = [](const std::shared_ptr<Device>& device, const std::shared_ptr<SpareDevices>& spares) {
        ParticleSet atoms = fluid(300, 3);
        atoms.add(image);
        ResidentSimulation sim(atoms, two_kinds({.reuse_steps = 5}), timestep, device, spares);
        sim.run_steps(12);
        sim.download(atoms);
        atoms[mass][7] *= 2;
        atoms[particle_kind][8] = 0;
        EXPECT_TRUE(sim.take_changes(atoms));
        sim.run_steps(6);
        sim.save(atoms);
        return copy_of(atoms);
    };
    const auto named = [](const std::string& name) { return std::make_shared<FaultyDevice>(Fault::none, 0, name); };
    const auto unbroken = run(named("a:0"), nullptr);
    for (const int good_launches : {0, 1, 40, 90, 150, 200}) {
        const auto spares = std::make_shared<SpareDevices>();
        spares->add(named("b:0"));
        const auto replaced = run(std::make_shared<FaultyDevice>(Fault::lost, good_launches), spares);
        expect_same_bits(*replaced, *unbroken);
        EXPECT_EQ(spares->take_notes(), std::vector<std::string>{"device faulty:0 has failed: b:0 takes its place"});
    }
}

// The check compares particles near each other: a flow of all, or a fast particle far away, does not outgrow lists.
TEST(DeviceResidentShortRangeSteps, outgrow_lists_by_what_is_near) {
    const auto early = [](const Vec3<double>& flow, const Vec3<double>& fast, const Vec3<double>& place) {
        ParticleSet atoms = fluid(1000, 0);
        for (auto& v : atoms[velocity]) v = flow;
        atoms[velocity][0] = fast;
        atoms[position][0] = place;
        ResidentSimulation sim(atoms, one_kind({}), 1e-4, open_device("cpu"));
        sim.run_steps(40);
        return sim.list_use().early;
    };
    const Vec3<double> middle = fluid(1000, 0)[position][0];
    EXPECT_EQ(early({500, 0, 0}, {500, 0, 0}, middle), 0U);
    EXPECT_EQ(early({0, 0, 0}, {500, 0, 0}, {100, 0, 0}), 0U);
    EXPECT_GT(early({0, 0, 0}, {500, 0, 0}, {-3.5, 5, 5}), 0U);
}

TEST(DeviceResidentShortRangeSteps, take_no_other_forces) {
    ParticleSet atoms = fluid(10, 0);
    EXPECT_EQ(message_of([&] {
                  atoms[particle_kind][3] = 2;
                  ResidentSimulation(atoms, two_kinds({}), timestep, open_device("cpu"));
              }),
              "kind of row 3 is 2: allowed are numbers 0 (a) to 1 (b)");
}

TEST(DeviceResidentShortRangeSteps, of_no_atoms_are_nothing) {
    ParticleSet none(0);
    ResidentSimulation sim(none, one_kind({}), timestep, open_device("cpu"));
    sim.run_steps(3);
    sim.download(none);
    EXPECT_EQ(sim.work().pairs, 0U);
}

// A server refuses a launch that needs more than its memories have.
TEST(MoveBlocks, refuses_blocks_without_particles) {
    MoveBlocks blocks{};
    EXPECT_EQ(blocks.sizes(1)[1].elements, no_size);
    EXPECT_EQ(blocks.sizes(0)[1].elements, 0U);
    blocks.particles = 16;
    EXPECT_EQ(blocks.sizes(1)[1].elements, 16U);
}

}  // namespace trellis::resident_short_range_test
