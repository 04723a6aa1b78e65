// Forces that a device computes: methods G1 (particles sent), G2 (indices sent) and G3 (lists reused) against each
// other, the host (C1) and direct summation.
#include <gtest/gtest.h>

#include <algorithm>

#include "trellis/compile.hpp"
#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/forces/tree/device_accelerations.hpp"
#include "unit/particle_models.hpp"

namespace trellis::device_force_test {

using namespace fields;

constexpr double softening = 0.02;

ForceSettings settings_of(Send send, Precision precision = Precision::single_) {
    return {.theta = 0.6,
            .method = Method::tree,
            .order = 1,
            .group_size = 50,
            .leaf_size = 8,
            .precision = precision,
            .send = send};
}

class OnDevice : public testing::TestWithParam<models::Model> {};

TEST_P(OnDevice, all_methods_give_the_same_bits_and_the_host_the_same_forces) {
    const ParticleSet start = GetParam().make(700, 1);
    for (const Precision precision : {Precision::single_, Precision::double_}) {
        ParticleSet particles = GetParam().make(700, 1);
        const auto host = accelerations(*gravity(softening, 1, settings_of(Send::indices, precision)), particles);
        const auto indices =
            accelerations(*gravity(softening, 1, settings_of(Send::indices, precision), open_device("cpu")), particles);
        const auto copies = accelerations(
            *gravity(softening, 1, settings_of(Send::particles, precision), open_device("cpu")), particles);
        EXPECT_TRUE(std::ranges::equal(copies, indices));
        ForceSettings keeping = settings_of(Send::indices, precision);
        keeping.lists = Lists::reuse;
        const auto keeper = gravity(softening, 1, keeping, open_device("cpu"));
        EXPECT_TRUE(std::ranges::equal(accelerations(*keeper, particles), indices));
        EXPECT_TRUE(std::ranges::equal(reused(*keeper, particles), indices));
        EXPECT_TRUE(keeper->device_use()->lists_kept);
        EXPECT_EQ(keeper->list_use().reuses, 1U);
        EXPECT_LT(largest_difference(indices, host), precision == Precision::single_ ? 2e-6 : 1e-13);
    }
}

INSTANTIATE_TEST_SUITE_P(Of, OnDevice, testing::ValuesIn(models::all_models),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(DeviceForce, of_rounded_positions_is_as_exact_as_the_accuracy_asks) {
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const double accuracy : {1e-2, 1e-4}) {
            ParticleSet particles = models::plummer(2000, 1);
            ForceSettings settings = settings_of(Send::indices, precision);
            settings.theta = 0;
            settings.accuracy = accuracy;
            const auto exact = accelerations(*gravity(softening, 1, settings, open_device("cpu")), particles);
            settings.compress = true;
            const auto rounded = accelerations(*gravity(softening, 1, settings, open_device("cpu")), particles);
            double squares = 0;
            for (std::size_t row = 0; row < exact.size(); ++row)
                squares += dot(rounded[row] - exact[row], rounded[row] - exact[row]) / dot(exact[row], exact[row]);
            const double difference = std::sqrt(squares / static_cast<double>(exact.size()));
            EXPECT_GT(difference, 1e-3 * accuracy);
            EXPECT_LT(difference, 0.5 * accuracy);
        }
}

TEST(DeviceForce, of_few_particles_is_that_of_the_host) {
    for (const std::size_t size : {0, 1, 2, 9, 51}) {
        ParticleSet particles = models::plummer(size, 1);
        const auto host = accelerations(*gravity(softening, 1, settings_of(Send::indices)), particles);
        for (const Send send : {Send::indices, Send::particles})
            EXPECT_LT(
                largest_difference(
                    accelerations(*gravity(softening, 1, settings_of(send), open_device("cpu")), particles), host),
                2e-6);
    }
}

TEST(DeviceForce, is_as_accurate_as_the_hosts_wherever_the_particles_are) {
    for (const double offset : {0.0, 1e4}) {
        ParticleSet particles = models::plummer(4000, 1);
        models::place(particles, 1, {offset, -offset, offset});
        const double here = computed_errors(*gravity(softening, 1, settings_of(Send::indices), open_device("cpu")),
                                            std::move(particles))
                                .acceleration;
        EXPECT_GT(here, 1e-4);
        EXPECT_LT(here, 6e-3);
    }
}

TEST(DeviceForce, in_blocks_where_memory_is_short_has_the_same_bits) {
    ParticleSet particles = models::plummer(6000, 1);
    const auto roomy = gravity(softening, 1, settings_of(Send::indices), open_device("cpu"));
    const auto whole = accelerations(*roomy, particles);
    EXPECT_FALSE(roomy->device_use()->in_blocks);
    const auto cramped =
        gravity(softening, 1, settings_of(Send::indices), open_device("cpu", roomy->device_use()->bytes / 4));
    const auto blocks = accelerations(*cramped, particles);
    EXPECT_TRUE(cramped->device_use()->in_blocks);
    EXPECT_GT(cramped->device_use()->batches, roomy->device_use()->batches);
    EXPECT_TRUE(std::ranges::equal(blocks, whole));
}

// Memory varies from too little for the table to enough for all lists: every way of dividing the work is tested.
TEST(DeviceForce, that_keeps_lists_finds_a_way_with_any_memory) {
    ParticleSet particles = models::plummer(3000, 1);
    ForceSettings keeping = settings_of(Send::indices);
    keeping.lists = Lists::reuse;
    const auto roomy = gravity(softening, 1, keeping, open_device("cpu"));
    const auto whole = accelerations(*roomy, particles);
    const std::size_t needed = roomy->device_use()->bytes;
    int kept = 0, not_kept = 0, blocks = 0;
    for (int share = 2; share <= 20; ++share) {
        const auto force =
            gravity(softening, 1, keeping, open_device("cpu", needed * static_cast<std::size_t>(share) / 16));
        EXPECT_TRUE(std::ranges::equal(accelerations(*force, particles), whole)) << share;
        EXPECT_TRUE(std::ranges::equal(reused(*force, particles), whole)) << share;
        const DeviceUse& use = *force->device_use();
        (use.in_blocks ? blocks : use.lists_kept ? kept : not_kept) += 1;
    }
    EXPECT_GT(kept, 0);
    EXPECT_GT(not_kept, 0);
    EXPECT_GT(blocks, 0);
}

TEST(DeviceForce, follows_particles_when_lists_are_reused) {
    ForceSettings keeping = settings_of(Send::indices);
    keeping.lists = Lists::reuse;
    for (const std::size_t memory : {std::size_t{0}, std::size_t{200000}}) {
        ParticleSet particles = models::plummer(3000, 1);
        const auto device = gravity(softening, 1, keeping, open_device("cpu", memory)),
                   host = gravity(softening, 1, keeping);
        compute(*device, particles);
        compute(*host, particles);
        models::Random random(5);
        for (auto& x : particles[position]) x = 0.95 * x + 1e-4 * random.direction();
        const auto moved = reused(*device, particles);
        EXPECT_LT(largest_difference(moved, reused(*host, particles)), 2e-6);
        EXPECT_EQ(device->list_use().reuses, 1U);
    }
}

TEST(DeviceForce, has_the_same_bits_with_any_number_of_queues_and_threads) {
    ParticleSet particles = models::clustered(3000, 1);
    const auto alone =
        accelerations(*gravity(softening, 1, settings_of(Send::indices), make_cpu_device(1U << 30, 1)), particles);
    const auto together =
        accelerations(*gravity(softening, 1, settings_of(Send::indices), make_cpu_device(1U << 30, 3)), particles);
    EXPECT_TRUE(std::ranges::equal(alone, together));
}

struct Charge : Field<double, "charge", "e", "electric charge"> {};
constexpr Charge charge;

// An interaction whose i-particles have a field that no j-particle has.
struct Screened {
    using Target = Fields<Position, Charge, Mass>;
    using Source = Fields<Position, Charge>;
    using Result = Fields<Acceleration>;
    float epsilon2 = 1e-3f;
    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        const auto d = j[position] - i[position];
        const auto rinv = rsqrt(dot(d, d) + epsilon2);
        sum[acceleration] -= i[charge] / i[mass] * j[charge] * exp(-1.0f / rinv) * rinv * rinv * rinv * d;
    }
};

TEST(DeviceForce, of_an_interaction_with_fields_of_its_own) {
    ParticleSet particles = models::plummer(800, 1);
    for (auto& q : particles.add(charge)) q = 1e-3;
    const ForceSettings settings = settings_of(Send::indices);
    const auto host = accelerations(*tree_force(Screened(), settings), particles);
    EXPECT_LT(largest_difference(accelerations(*tree_force(Screened(), settings, open_device("cpu")), particles), host),
              2e-6);
}

}  // namespace trellis::device_force_test
