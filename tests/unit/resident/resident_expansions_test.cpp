// Particles that stay on a device and have moments and local expansions: against direct summation, and against the
// lists and forces of methods G2 and G3.
#include "trellis/resident/resident_expansions.hpp"

#include <gtest/gtest.h>

#include "trellis/devices/cpu_device.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/resident/downloaded.hpp"
#include "unit/resident/softened_models.hpp"

namespace trellis::resident_expansions_test {

constexpr double softening = 0.02, timestep = 0.01;

struct MethodOfOrder {
    Method method;
    int order;
};
constexpr MethodOfOrder methods[] = {
    {Method::tree, 2}, {Method::fmm, 2}, {Method::fmm, 3}, {Method::fmm, 4}, {Method::fmm, 5}};

ForceSettings settings_of(const MethodOfOrder& of, double theta, Precision precision = Precision::double_) {
    return {.theta = theta,
            .method = of.method,
            .order = of.order,
            .group_size = 50,
            .leaf_size = 8,
            .precision = precision};
}

ForceSettings reused(ForceSettings settings, double growth = 0.1) {
    settings.lists = Lists::reuse;
    settings.reuse_steps = 4;
    settings.opening_growth = growth;
    return settings;
}

// A force on the device cpu, and its particles.
struct OnDevice {
    OnDevice(const ParticleSet& particles, const ForceSettings& settings)
        : device(open_device("cpu")),
          queue(device->make_queue()),
          columns(device, *queue, particles, particles.has(SofteningLength::name)),
          force(device, *queue, columns,
                particles.has(SofteningLength::name) ? ResidentGravity(checked_gravity_between_softenings(1))
                                                     : ResidentGravity(checked_gravity(softening, 1)),
                settings) {}
    ~OnDevice() { queue->wait(); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

    // Moves each particle on the device, and in `particles`.
    template <class Motion>
    void move(ParticleSet& particles, const Motion& motion) {
        auto there = downloaded<Vec3<double>>(*queue, columns.position(), columns.size());
        for (auto& x : there) x = motion(x);
        for (auto& x : particles[position]) x = motion(x);
        queue->upload(columns.position(), 0, std::as_bytes(std::span(there)));
        queue->wait();
    }

    std::shared_ptr<Device> device;
    std::unique_ptr<Queue> queue;
    ResidentColumns columns;
    ResidentTreeForce force;
};

std::unique_ptr<ForceByTree> g2(const ParticleSet& particles, const ForceSettings& settings) {
    return particles.has(SofteningLength::name) ? gravity(SofteningOfEach{}, 1, settings, open_device("cpu"))
                                                : gravity(softening, 1, settings, open_device("cpu"));
}

class DeviceResidentExpansions : public testing::TestWithParam<MethodOfOrder> {};
INSTANTIATE_TEST_SUITE_P(Of, DeviceResidentExpansions, testing::ValuesIn(methods), [](const auto& of) {
    return (of.param.method == Method::fmm ? "fmm_" : "tree_") + std::to_string(of.param.order);
});

void expect_work(const Work& work, const Work& expected) {
    EXPECT_EQ(work.pairs, expected.pairs);
    EXPECT_EQ(work.expansions, expected.expansions);
    EXPECT_EQ(work.multipoles, expected.multipoles);
}

void expect_forces_of_g2(const models::Model& model, std::size_t size, bool differ, const ForceSettings& settings,
                         double error) {
    ParticleSet particles = models::made(model, size, differ), there = models::made(model, size, differ);
    const auto force = g2(particles, settings);
    const Work work = compute(*force, particles);
    OnDevice on_device(there, settings);
    on_device.force.construct(false, 0, [] {});
    if (force->uses_previous_acceleration()) on_device.force.construct(true, 0, [] {});
    on_device.columns.download(there);
    expect_work(on_device.force.work(), work);
    double difference = 0, largest = 1e-300;
    for (std::size_t row = 0; row < particles.size(); ++row) {
        difference = std::max(difference, norm(there[acceleration][row] - particles[acceleration][row]) +
                                              std::abs(there[potential][row] - particles[potential][row]));
        largest = std::max(largest, norm(particles[acceleration][row]) + std::abs(particles[potential][row]));
    }
    EXPECT_LT(difference / largest, error);
}

TEST_P(DeviceResidentExpansions, give_the_lists_and_forces_of_method_g2) {
    for (const models::Model& model : models::models_of_coarse_keys())
        for (const std::size_t size : {1, 2, 51, 700})
            for (const bool differ : {false, true}) {
                SCOPED_TRACE(std::string(model.name) + " " + std::to_string(size));
                expect_forces_of_g2(model, size, differ, settings_of(GetParam(), 0.6137), 1e-12);
                expect_forces_of_g2(model, size, differ, settings_of(GetParam(), 0.6137, Precision::automatic), 2e-6);
            }
}

TEST_P(DeviceResidentExpansions, follow_the_relative_criterion) {
    for (const bool differ : {false, true})
        expect_forces_of_g2({"plummer", models::plummer}, 3000, differ, settings_of(GetParam(), 0), 1e-12);
}

// Direct summation in double precision is the oracle.
TEST_P(DeviceResidentExpansions, have_the_accuracy_asked_for) {
    for (const auto& make : {models::uniform_sphere, models::plummer, models::clustered})
        for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
            ParticleSet particles = make(3000, 1);
            OnDevice on_device(particles,
                               {.accuracy = accuracy, .method = GetParam().method, .order = GetParam().order});
            on_device.force.construct(false, 0, [] {});
            on_device.force.construct(true, 0, [] {});
            on_device.columns.download(particles);
            EXPECT_LE(errors_of(*gravity(softening), particles).acceleration, accuracy);
        }
}

TEST_P(DeviceResidentExpansions, have_the_same_bits_with_the_same_lists_again) {
    ParticleSet first = models::plummer(3000, 1), again(first.size());
    OnDevice on_device(first, reused(settings_of(GetParam(), 0)));
    on_device.force.construct(false, 0, [] {});
    on_device.force.construct(true, 0, [] {});
    on_device.columns.download(first);
    ASSERT_TRUE(on_device.force.reuse(0, [] {}));
    on_device.columns.download(again);
    EXPECT_TRUE(std::ranges::equal(first[acceleration], again[acceleration]));
    EXPECT_TRUE(std::ranges::equal(first[potential], again[potential]));
}

// A tree on the host says of the same cells whether their lists are valid.
TEST_P(DeviceResidentExpansions, are_reused_while_the_host_would_reuse_them) {
    std::size_t valid = 0, invalid = 0;
    for (const bool differ : {false, true})
        for (const double growth : {0.0, 0.01, 0.02, 0.04, 0.08, 0.3}) {
            ParticleSet particles = models::made({"plummer", models::plummer}, 3000, differ);
            const ForceSettings settings = reused(settings_of(GetParam(), 0), 0.02);
            OnDevice on_device(particles, settings);
            const auto force = g2(particles, settings);
            compute(*force, particles);
            on_device.force.construct(false, 0, [] {});
            on_device.force.construct(true, 0, [] {});
            // The distances along one axis grow.
            on_device.move(particles,
                           [growth](const Vec3<double>& x) { return Vec3<double>{x.x * (1 + growth), x.y, x.z}; });
            Phases phases;
            force->dispatch(particles, {.may_reuse = true}, phases);
            force->retrieve(particles, phases);
            const bool expected = force->list_use().reuses > 0;
            EXPECT_EQ(on_device.force.reuse(0, [] {}), expected) << growth;
            ++(expected ? valid : invalid);
        }
    EXPECT_GT(valid, 1U);
    EXPECT_GT(invalid, 1U);
}

TEST(DeviceResidentExpansion, of_no_particles_are_nothing) {
    ParticleSet none(0);
    OnDevice on_device(none, settings_of(methods[1], 0.5));
    on_device.force.construct(false, 0, [] {});
    EXPECT_TRUE(on_device.force.reuse(0, [] {}));
    EXPECT_EQ(on_device.force.work().pairs, 0U);
}

}  // namespace trellis::resident_expansions_test
