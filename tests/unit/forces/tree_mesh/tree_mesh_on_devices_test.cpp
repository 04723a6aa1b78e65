// TreePM on devices: the part within the cutoff there, the mesh on the host, against the host alone and Ewald's sum.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/tree_mesh/kernels/charge.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_coulomb.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_gravity.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/forces/gravity/periodic/boxes.hpp"
#include "unit/forces/tree/device_accelerations.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::tree_mesh_on_devices_test {

using namespace fields;

constexpr std::size_t along = 12;
constexpr double epsilon = 0.02 * box_side / along;

// A halo in the middle of the box, whose images are beyond the cutoff.
ParticleSet halo_in_box() {
    ParticleSet halo = models::plummer(2000, 1);
    halo.set_region(unit_box);
    const Vec3<double> middle = 0.5 * (unit_box.low + unit_box.high);
    for (auto& place : halo[position]) {
        const double r = norm(place);
        place = middle + 0.15 / (1 + r) * place;
    }
    return halo;
}

// Particles in a box with types and charges of both signs.
ParticleSet particles_of(const std::string& model) {
    ParticleSet particles = model == "halo" ? halo_in_box() : in_box(model, along);
    models::Random random(6);
    const auto types = particles.add(particle_type);
    const auto charges = particles.add(charge);
    for (std::size_t row = 0; row < particles.size(); ++row) {
        types[row] = 1 + static_cast<std::int64_t>(row % 2);
        charges[row] = random.uniform(-1, 1);
    }
    return particles;
}

using Make = std::function<std::unique_ptr<ForceByTree>(const ForceSettings&, Devices)>;

struct Kind {
    const char* name;
    Make make;
    friend std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }
};

std::unique_ptr<ForceByTree> of_one_softening(const ForceSettings& settings, Devices devices) {
    return tree_mesh_gravity(epsilon, 2, settings, {}, std::move(devices));
}
std::unique_ptr<ForceByTree> of_two_softenings(const ForceSettings& settings, Devices devices) {
    return tree_mesh_gravity(SofteningOfEach{.by_type = {{"halo", epsilon}, {"disk", 2 * epsilon}}}, 2, settings, {},
                             std::move(devices));
}
std::unique_ptr<ForceByTree> of_charges(const ForceSettings& settings, Devices devices) {
    return tree_mesh_coulomb(epsilon, 3, settings, {}, std::move(devices));
}

class TreeMeshOnDevices : public testing::TestWithParam<Kind> {
  protected:
    static std::unique_ptr<ForceByTree> force(const ForceSettings& settings, Devices devices = {}) {
        return GetParam().make(settings, std::move(devices));
    }
};
INSTANTIATE_TEST_SUITE_P(Of, TreeMeshOnDevices,
                         testing::Values(Kind{"one_softening", of_one_softening},
                                         Kind{"two_softenings", of_two_softenings}, Kind{"charges", of_charges}),
                         testing::PrintToStringParamName());

// A halo whose images do not act: a device imports these as from other ranks, in other cells than the host lists.
TEST_P(TreeMeshOnDevices, have_the_work_and_the_forces_of_the_host) {
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (int order = 2; order <= 5; ++order) {
            const ForceSettings settings{
                .theta = 0.6, .order = order, .group_size = 50, .leaf_size = 8, .precision = precision};
            ParticleSet here = particles_of("halo"), there = particles_of("halo");
            const Work host = compute(*force(settings), here);
            const Work device = compute(*force(settings, open_device("cpu")), there);
            EXPECT_EQ(device.pairs, host.pairs) << order;
            EXPECT_EQ(device.expansions, host.expansions) << order;
            EXPECT_EQ(device.multipoles, host.multipoles) << order;
            EXPECT_GT(device.expansions, 50U) << order;
            EXPECT_GT(device.multipoles, 100U) << order;
            const Accelerations a(there[acceleration].begin(), there[acceleration].end()),
                b(here[acceleration].begin(), here[acceleration].end());
            EXPECT_LT(largest_difference(a, b), precision == Precision::single_ ? 5e-6 : 1e-11) << order;
        }
}

TEST_P(TreeMeshOnDevices, have_the_accuracy_asked_for) {
    for (const char* model : {"random", "clustered", "grid"})
        for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
            ParticleSet particles = particles_of(model);
            const auto here = force({.accuracy = accuracy}, open_device("cpu"));
            compute(*here, particles);
            compute(*here, particles);  // the first computation takes the errors that it may make from a rough force
            EXPECT_LT(net_errors(*here, particles).acceleration, accuracy) << model;
        }
}

TEST_P(TreeMeshOnDevices, have_the_same_bits_by_all_methods_and_on_several_devices) {
    ParticleSet particles = particles_of("clustered");
    ForceSettings asked{.theta = 0.6, .group_size = 50, .precision = Precision::single_};
    const auto indices = accelerations(*force(asked, open_device("cpu")), particles);
    EXPECT_EQ(accelerations(*force(asked, OpenDevices().of({"cpu", "rehearsal:0"})), particles), indices);
    asked.send = Send::particles;
    EXPECT_EQ(accelerations(*force(asked, open_device("cpu")), particles), indices);
    asked.send = Send::indices;
    asked.lists = Lists::reuse;
    const auto keeper = force(asked, open_device("cpu"));
    const auto kept = accelerations(*keeper, particles);  // with a cutoff for particles that approach
    EXPECT_EQ(reused(*keeper, particles), kept);
    asked.send = Send::particles;
    EXPECT_EQ(accelerations(*force(asked, open_device("cpu")), particles), kept);
    EXPECT_EQ(keeper->list_use().reuses, 1U);
}

TEST_P(TreeMeshOnDevices, are_as_accurate_on_any_number_of_ranks) {
    for (const int ranks : {2, 3}) {
        const auto forces = [&] {
            return std::vector<std::shared_ptr<Force>>{force({.accuracy = 1e-3}, open_device("cpu"))};
        };
        const auto end = run_on_ranks(ranks, particles_of("clustered"), forces, 0);
        EXPECT_LT(net_errors(*force({}), *end).acceleration, 1e-3) << ranks;
    }
}

TEST_P(TreeMeshOnDevices, follow_particles_when_lists_are_reused) {
    ParticleSet particles = particles_of("halo");
    const ForceSettings keeping{.theta = 0.6, .group_size = 50, .lists = Lists::reuse};
    const auto device = force(keeping, open_device("cpu")), host = force(keeping);
    compute(*device, particles);
    compute(*host, particles);
    models::Random random(5);
    for (auto& x : particles[position]) x += 1e-5 * random.direction();
    EXPECT_LT(largest_difference(reused(*device, particles), reused(*host, particles)), 5e-6);
    EXPECT_EQ(device->list_use().reuses, 1U);
}

// The mesh is solved while the device computes; and if the device fails, since other ranks wait for this one's part.
TEST_P(TreeMeshOnDevices, solve_the_mesh_before_they_are_waited_for) {
    ParticleSet particles = particles_of("random");
    const ForceSettings settings{.theta = 0.6, .group_size = 50};
    const auto unbroken = accelerations(*force(settings, open_device("cpu")), particles);
    for (const int good_launches : {0, 1, 3, 6}) {
        const auto here = force(settings, std::make_shared<FaultyDevice>(Fault::lost, good_launches));
        here->attach(particles, 0);
        Phases phases;
        const auto step = [&] {
            here->dispatch(particles, {}, phases);
            here->retrieve(particles, phases);
        };
        EXPECT_THROW(step(), DeviceError);
        EXPECT_GT(phases.seconds(Phase::transform_mesh), 0) << good_launches;
        here->use_devices(open_device("cpu"));
        EXPECT_EQ(accelerations(*here, particles), unbroken);
    }
}

}  // namespace trellis::tree_mesh_on_devices_test
