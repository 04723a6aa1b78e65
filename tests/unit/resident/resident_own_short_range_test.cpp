// An interaction of a user's own, with results of all sorts and a finish, among particles that stay on a device.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "trellis/resident/resident_simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/short_range/short_range_probe.hpp"
#include "unit/resident/fluid.hpp"

namespace trellis::resident_own_short_range_test {

// Potential before acceleration, with results between them and values of both particles.
struct Springs {
    using Target = Fields<Position, Reach, Mass>;
    using Source = Fields<Position, Mass, Reach>;
    using Result = Fields<Potential, Partners, Acceleration>;
    using Maximum = Fields<Fastest>;
    using Minimum = Fields<Slowest>;
    using Search = Cutoff;
    double cutoff;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        const auto d = j[position] - i[position];
        const auto pull = j[mass] * (1.5f - sqrt(dot(d, d))) * i[reach];
        sum[potential] += pull * j[reach];
        sum[acceleration] += pull * d;
        sum[partners] += 1.0f;
        sum[fastest].raise_to(pull - 5.0f);
        sum[slowest].lower_to(pull);
    }
    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const {
        sum[acceleration] += i[position] * 0.25;
        sum[potential] += i[mass] * dot(i[position], i[position]);
    }
};

ParticleSet begun(int axes) {
    ParticleSet particles = fluid(400, axes);
    models::Random random(5);
    for (double& r : particles.add(reach)) r = random.uniform(0.5, 1);
    return particles;
}

TEST(DeviceResidentOwnShortRange, is_that_of_direct_sums) {
    for (const int axes : {0, 1, 3}) {
        ParticleSet particles = begun(axes);
        const std::shared_ptr<const ShortRangeForce> force =
            short_range_force(Springs{1.5}, {.reuse_steps = 5, .precision = Precision::double_});
        ResidentSimulation sim(particles, force, 0.01, open_device("cpu"));
        sim.run_steps(8);
        sim.download(particles);
        EXPECT_GT(sim.list_use().reuses, 0U);
        for (std::uint32_t row = 0; row < particles.size(); ++row) {
            std::array<double, 7> exact{};
            force->reference(particles, particles, row, row, 0, exact.data());
            EXPECT_NEAR(particles[potential][row], exact[0], 1e-10);
            EXPECT_EQ(particles[partners][row], exact[1]);
            for (std::size_t axis = 0; axis < 3; ++axis)
                EXPECT_NEAR(particles[acceleration][row][axis], exact[2 + axis], 1e-10);
            EXPECT_NEAR(particles[fastest][row], exact[5], 1e-12);
            EXPECT_NEAR(particles[slowest][row], exact[6], 1e-12);
        }
    }
}

// A column that the force reads, and that a user changes between two steps.
TEST(DeviceResidentOwnShortRange, follows_its_columns) {
    ParticleSet particles = begun(3), changed = begun(3);
    const auto force = [] { return short_range_force(Springs{1.5}); };
    ResidentSimulation sim(particles, force(), 0.01, open_device("cpu"));
    for (double& r : particles[reach]) r *= 2;
    EXPECT_TRUE(sim.take_changes(particles));
    EXPECT_FALSE(sim.take_changes(particles));
    for (double& r : changed[reach]) r *= 2;
    ResidentSimulation beside(changed, force(), 0.01, open_device("cpu"));
    for (ResidentSimulation* each : {&sim, &beside}) each->run_steps(3);
    sim.download(particles);
    beside.download(changed);
    for (std::size_t row = 0; row < particles.size(); ++row)
        EXPECT_EQ(particles[position][row], changed[position][row]) << row;
}

TEST(DeviceResidentOwnShortRange, needs_a_cutoff) {
    ParticleSet particles = begun(0);
    EXPECT_EQ(message_of([&] {
                  ResidentSimulation(particles, short_range_force(Probe<Gather<Reach>>{}), 0.01, open_device("cpu"));
              }),
              "the force of short range cannot act on particles that stay on a device: allowed are Lennard-Jones, and "
              "in C++ an interaction within a cutoff that depends on no velocities and gives acceleration and "
              "potential");
}

}  // namespace trellis::resident_own_short_range_test
