// Expansions on a device: methods fmm and tree of orders above 1, against the host and direct summation.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/forces/tree/device_accelerations.hpp"
#include "unit/particle_models.hpp"

namespace trellis::device_expansions_test {

constexpr double softening = 0.02;

// Half of the particles in a Plummer sphere, half in 16 small ones within it.
ParticleSet clumpy_halo(std::size_t size, std::uint64_t seed) {
    ParticleSet halo = models::plummer(size, seed);
    models::Random random(seed);
    std::array<Vec3<double>, 16> centres;
    for (auto& centre : centres) centre = random.uniform(0.2, 2) * random.direction();
    for (std::size_t row = 0; row < size; row += 2)
        halo[position][row] = centres[row / 2 % centres.size()] + 0.01 * halo[position][row];
    return halo;
}

constexpr std::array<models::Model, 3> sets{
    {{"sphere", models::uniform_sphere}, {"plummer", models::plummer}, {"clumpy_halo", clumpy_halo}}};

struct Path {
    Method method;
    int order;
    friend std::ostream& operator<<(std::ostream& out, const Path& path) {
        return out << (path.method == Method::tree ? "tree" : "fmm") << path.order;
    }
};

class DeviceExpansions : public testing::TestWithParam<Path> {
  protected:
    static ForceSettings settings(Precision precision) {
        return {.theta = 0.6,
                .method = GetParam().method,
                .order = GetParam().order,
                .group_size = 50,
                .leaf_size = 8,
                .precision = precision};
    }
};
INSTANTIATE_TEST_SUITE_P(Of, DeviceExpansions,
                         testing::Values(Path{Method::tree, 2}, Path{Method::fmm, 2}, Path{Method::fmm, 3},
                                         Path{Method::fmm, 4}, Path{Method::fmm, 5}),
                         testing::PrintToStringParamName());

TEST_P(DeviceExpansions, have_the_work_and_the_forces_of_the_host) {
    for (const models::Model& model : sets)
        for (const Precision precision : {Precision::single_, Precision::double_}) {
            ParticleSet here = model.make(3000, 1), there = model.make(3000, 1);
            const Work host = compute(*gravity(softening, 1, settings(precision)), here);
            const auto force = gravity(softening, 1, settings(precision), open_device("cpu"));
            const Work device = compute(*force, there);
            EXPECT_EQ(device.pairs, host.pairs);
            EXPECT_EQ(device.expansions, host.expansions);
            EXPECT_EQ(device.multipoles, host.multipoles);
            const auto& pairs = force->device_use()->pairs;
            EXPECT_EQ(std::reduce(pairs.begin(), pairs.end()), host.pairs - host.multipoles);
            const Accelerations a(there[acceleration].begin(), there[acceleration].end()),
                b(here[acceleration].begin(), here[acceleration].end());
            EXPECT_LT(largest_difference(a, b), precision == Precision::single_ ? 5e-6 : 1e-12) << model.name;
        }
}

TEST_P(DeviceExpansions, have_the_same_bits_by_all_methods_and_on_several_devices) {
    ParticleSet particles = clumpy_halo(3000, 1);
    ForceSettings asked = settings(Precision::single_);
    const auto roomy = gravity(softening, 1, asked, open_device("cpu"));
    const auto indices = accelerations(*roomy, particles);
    const Devices three = OpenDevices().of({"cpu", "rehearsal:0", "rehearsal:0.0"});
    EXPECT_EQ(accelerations(*gravity(softening, 1, asked, three), particles), indices);
    for (const std::size_t eighths : {4, 6}) {
        const auto cramped = open_device("cpu", roomy->device_use()->bytes * eighths / 8);
        EXPECT_EQ(accelerations(*gravity(softening, 1, asked, cramped), particles), indices) << eighths;
    }
    asked.send = Send::particles;
    EXPECT_EQ(accelerations(*gravity(softening, 1, asked, open_device("cpu")), particles), indices);
    asked.send = Send::indices;
    asked.lists = Lists::reuse;
    const auto keeper = gravity(softening, 1, asked, open_device("cpu"));
    EXPECT_EQ(accelerations(*keeper, particles), indices);
    EXPECT_EQ(reused(*keeper, particles), indices);
    EXPECT_EQ(keeper->list_use().reuses, 1U);
}

TEST_P(DeviceExpansions, follow_particles_when_lists_are_reused) {
    ForceSettings keeping = settings(Precision::single_);
    keeping.lists = Lists::reuse;
    ParticleSet particles = clumpy_halo(3000, 1);
    const auto device = gravity(softening, 1, keeping, open_device("cpu")), host = gravity(softening, 1, keeping);
    compute(*device, particles);
    compute(*host, particles);
    models::Random random(5);
    for (auto& x : particles[position]) x = 0.95 * x + 1e-5 * random.direction();
    EXPECT_LT(largest_difference(reused(*device, particles), reused(*host, particles)), 2e-6);
    EXPECT_EQ(device->list_use().reuses, 1U);
}

TEST(DeviceExpansions, have_the_accuracy_asked_for) {
    for (const models::Model& model : sets)
        for (const auto& [method, order] : {std::pair{Method::fmm, 0}, {Method::tree, 2}})
            for (const double accuracy : {1e-2, 1e-3, 1e-4, 1e-5}) {
                const auto force =
                    gravity(0.001, 1, {.accuracy = accuracy, .method = method, .order = order}, open_device("cpu"));
                EXPECT_LE(computed_errors(*force, model.make(4000, 1)).acceleration, accuracy) << model.name;
            }
}

TEST(DeviceExpansions, of_few_particles_are_those_of_the_host) {
    for (const std::size_t size : {0, 1, 2, 9, 51}) {
        ParticleSet particles = models::plummer(size, 1);
        const ForceSettings fmm{.method = Method::fmm};
        const auto host = accelerations(*gravity(softening, 1, fmm), particles);
        const auto device = accelerations(*gravity(softening, 1, fmm, open_device("cpu")), particles);
        EXPECT_LT(largest_difference(device, host), 2e-6) << size;
    }
}

// A force that the host began continues on a device, and back, with the expansions that it has.
TEST(DeviceExpansions, are_kept_when_devices_change) {
    ParticleSet particles = models::plummer(2000, 1);
    const auto force = gravity(softening, 1, {.accuracy = 1e-4});
    const auto host = accelerations(*force, particles);
    force->use_devices(open_device("cpu"));
    EXPECT_LT(largest_difference(accelerations(*force, particles), host), 2e-6);
    force->use_devices({});
    EXPECT_EQ(accelerations(*force, particles), host);
}

}  // namespace trellis::device_expansions_test
