// Particles that stay on a device and differ in their softenings, against the same run by methods G2 and G3.
#include <gtest/gtest.h>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "trellis/run/measures/diagnostics.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis::resident_softenings_test {

using namespace fields;

constexpr double timestep = 0.01;

ForceSettings settings_of(Lists lists, double growth = 0.1) {
    return {.accuracy = 1e-3,
            .method = Method::tree,
            .order = 1,
            .group_size = 50,
            .leaf_size = 8,
            .precision = Precision::double_,
            .lists = lists,
            .reuse_steps = 4,
            .opening_growth = growth};
}

// Moving particles, each with one of two softenings at random.
ParticleSet moving(std::size_t size) {
    ParticleSet particles = models::plummer(size, 1);
    models::Random random(2);
    for (auto& v : particles[velocity]) v = 0.3 * random.direction();
    for (double& e : particles.add(fields::softening)) e = random.uniform(0, 1) < 0.5 ? 0.02 : 0.3;
    return particles;
}

ResidentSimulation resident_of(ParticleSet& particles, const ForceSettings& settings, double step = timestep) {
    return {particles, SofteningOfEach{}, 1, settings, step, open_device("cpu")};
}

double energy_of(const ParticleSet& particles) { return kinetic_energy(particles) + potential_energy(particles); }

class DeviceResidentSoftenings : public testing::TestWithParam<Lists> {};
INSTANTIATE_TEST_SUITE_P(With, DeviceResidentSoftenings, testing::Values(Lists::rebuild, Lists::reuse),
                         [](const auto& of) { return of.param == Lists::reuse ? "reuse" : "rebuild"; });

TEST_P(DeviceResidentSoftenings, move_particles_as_on_the_host) {
    const auto particles = std::make_shared<ParticleSet>(moving(2000));
    ParticleSet there = moving(2000);
    Simulation host(particles, timestep);
    const auto force =
        std::shared_ptr<ForceByTree>(gravity(SofteningOfEach{}, 1, settings_of(GetParam()), open_device("cpu")));
    host.add_force(force);
    ResidentSimulation resident = resident_of(there, settings_of(GetParam()));
    host.run_steps(10);
    resident.run_steps(10);
    resident.download(there);
    std::vector<std::size_t> row_of_id(there.size());
    for (std::size_t row = 0; row < there.size(); ++row) row_of_id[(*particles)[id][row]] = row;
    double largest = 0;
    for (std::size_t row = 0; row < there.size(); ++row) {
        const std::size_t other = row_of_id[there[id][row]];
        EXPECT_EQ(there[fields::softening][row], (*particles)[fields::softening][other]);
        largest = std::max({largest, norm(there[velocity][row] - (*particles)[velocity][other]),
                            norm(there[acceleration][row] - (*particles)[acceleration][other])});
    }
    EXPECT_LT(largest, 1e-11);
    EXPECT_EQ(resident.list_use().reuses, force->list_use().reuses);
    EXPECT_EQ(resident.work().pairs, host.work().pairs);
    EXPECT_LT(errors_of(*force, there).acceleration, 1e-3);  // against direct summation
}

TEST_P(DeviceResidentSoftenings, conserve_energy_and_momentum) {
    ParticleSet particles = moving(400);
    ForceSettings exact = settings_of(GetParam());
    exact.accuracy = 1e-5;
    ResidentSimulation sim = resident_of(particles, exact, 1.0 / 512);
    sim.ensure_forces();
    sim.download(particles);
    const double energy = energy_of(particles);
    const Vec3<double> before = momentum(particles);
    sim.run_steps(128);
    sim.download(particles);
    EXPECT_NEAR(energy_of(particles), energy, 1e-5 * std::abs(energy));
    EXPECT_LT(norm(momentum(particles) - before), 1e-6);
}

// Stopped and resumed after every step, also while lists are reused.
TEST(DeviceResidentSoftening, resumed_has_the_bits_of_the_unbroken_run) {
    for (const ForceSettings& settings :
         {settings_of(Lists::rebuild), settings_of(Lists::reuse), settings_of(Lists::reuse, 0.001)}) {
        ParticleSet start = moving(1000), kept = moving(1000), expected = moving(1000);
        ResidentSimulation unbroken = resident_of(start, settings);
        resident_of(start, settings).save(kept);
        for (std::uint64_t step = 0; step < 8; ++step) {
            unbroken.step();
            ResidentSimulation resumed = resident_of(kept, settings);
            if (step > 0) resumed.resume(timestep * static_cast<double>(step), step, kept);
            resumed.step();
            resumed.save(kept);
            unbroken.download(expected);
            ASSERT_TRUE(std::ranges::equal(kept[position], expected[position])) << "step " << step;
            ASSERT_TRUE(std::ranges::equal(kept[acceleration], expected[acceleration])) << "step " << step;
        }
    }
}

TEST(DeviceResidentSoftening, gives_the_same_bits_with_any_number_of_threads) {
    const auto run = [](int threads) {
        ParticleSet particles = moving(3000);
        ResidentSimulation sim(particles, SofteningOfEach{}, 1, settings_of(Lists::reuse), timestep,
                               make_cpu_device(1U << 30, threads));
        sim.run_steps(6);
        sim.download(particles);
        return std::vector(particles[position].begin(), particles[position].end());
    };
    EXPECT_EQ(run(1), run(3));
}

TEST(DeviceResidentSoftening, is_that_of_the_type) {
    ParticleSet particles = models::plummer(3, 1);
    const auto make = [&](const SofteningOfEach& softening) {
        ResidentSimulation(particles, softening, 1, settings_of(Lists::rebuild), timestep, open_device("cpu"));
    };
    EXPECT_EQ(message_of([&] { make({}); }),
              "gravity has the softening of each particle, but the particles have no field 'softening'");
    EXPECT_EQ(message_of([&] { make({{{"gas", 0.1}}}); }),
              "gravity has a softening by type, but the particles have no field 'type'");
    particles.add(particle_type)[1] = 1;
    make({{{"gas", 0.1}, {"halo", 0.5}}});
    EXPECT_TRUE(std::ranges::equal(particles[fields::softening], std::vector{0.1, 0.5, 0.1}));
    particles[fields::softening][2] = -1;
    EXPECT_EQ(message_of([&] { make({}); }), "column 'softening' is -1 at index 2: allowed is 0 or more");
}

}  // namespace trellis::resident_softenings_test
