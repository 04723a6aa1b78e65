// Tree, moments, lists and forces made on a device, against the host's: the same cells, contents and lists, bit for
// bit.
#include <gtest/gtest.h>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/tree/device/batches/device_lists.hpp"
#include "trellis/lists/walk/many_cells.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/resident/downloaded.hpp"
#include "unit/resident/softened_models.hpp"

namespace trellis::resident_force_test {

using namespace fields;

constexpr double softening = 0.02;

ForceSettings settings_of(double theta) {
    return {.theta = theta, .method = Method::tree, .order = 1, .group_size = 50, .leaf_size = 8};
}

ResidentGravity gravity_of(const ParticleSet& particles) {
    if (particles.has(SofteningLength::name)) return checked_gravity_between_softenings(1);
    return checked_gravity(softening, 1);
}

// A force on the device cpu, and its particles: with softenings that differ if the particles have some.
struct OnDevice {
    OnDevice(const ParticleSet& particles, const ForceSettings& settings)
        : device(open_device("cpu")),
          queue(device->make_queue()),
          columns(device, *queue, particles, particles.has(SofteningLength::name)),
          force(device, *queue, columns, gravity_of(particles), settings) {}
    ~OnDevice() { queue->wait(); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

    template <class T>
    std::vector<T> get(const DeviceMemory& memory, std::size_t count) {
        return downloaded<T>(*queue, memory, count);
    }

    std::shared_ptr<Device> device;
    std::unique_ptr<Queue> queue;
    ResidentColumns columns;
    ResidentTreeForce force;
};

ListedTree listed_tree(const ParticleSet& particles, const ForceSettings& settings,
                       const std::vector<double>& tolerance = {}) {
    const bool differ = particles.has(SofteningLength::name);
    const ForceChoice choice = choose(settings, true, true, differ);
    std::vector<FieldInfo> fields{field_info<Position>(), field_info<Mass>()};
    if (differ) fields.push_back(field_info<SofteningLength>());
    ListedTree listed(fields, differ ? 5 : 4, 3, choice.opening, choice.group_size, choice.leaf_size,
                      differ ? std::optional<std::size_t>(4) : std::nullopt);
    Phases phases;
    listed.build(particles, Position::name, tolerance, phases);
    listed.start_local_lists().make_all_branches();
    return listed;
}

std::vector<RowsOfGroup> lists_on_host(const ListedTree& listed) {
    const DeviceLists lists = joined(lists_of_branches(listed, 0, listed.lists().branches().size()));
    std::vector<RowsOfGroup> groups;
    for (const DeviceGroup& group : lists.groups) {
        RowsOfGroup rows{group.first_row, group.count, {}};
        for (std::uint32_t k = group.first_range; k < group.first_range + group.range_count; ++k)
            for (std::uint32_t row = 0; row < lists.ranges[k].count; ++row)
                rows.rows.push_back(lists.ranges[k].first + row);
        groups.push_back(rows);
    }
    sort_groups(groups);
    return groups;
}

void expect_same_tree(OnDevice& on_device, const ListedTree& listed) {
    const ResidentTree& tree = on_device.force.tree();
    const auto cells = on_device.get<Cell>(tree.cells(), tree.cell_count());
    EXPECT_TRUE(std::ranges::equal(cells, listed.tree().cells()));
    EXPECT_TRUE(std::ranges::equal(tree.levels(), listed.tree().levels()));
    const auto contents = on_device.get<CellContents>(tree.contents(), tree.cell_count());
    std::size_t different = 0;
    for (std::size_t c = 0; c < contents.size(); ++c) {
        const Sphere& sphere = listed.moments().spheres()[c];
        const Bounds& bounds = listed.moments().bounds()[c];
        different += contents[c].sphere.centre != sphere.centre || contents[c].sphere.radius != sphere.radius ||
                     contents[c].bounds.low != bounds.low || contents[c].bounds.high != bounds.high ||
                     contents[c].weight != listed.moments().weights()[c] ||
                     contents[c].weight != listed.moments().sum(3)[c];
    }
    EXPECT_EQ(different, 0U);
    const auto& expected = listed.moments().softenings();
    EXPECT_EQ(on_device.get<CellSoftening>(tree.softenings(), expected.size()), expected);
}

class DeviceResidentForce : public testing::TestWithParam<models::Model> {};

// theta is not a ratio of small numbers: cells at the very limit would be judged by the last bit.
void has_the_hosts_tree_and_lists(const models::Model& model, bool differ) {
    for (const std::size_t size : {1, 2, 9, 51, 700, 5000}) {
        const ParticleSet particles = models::made(model, size, differ);
        for (const double theta : {0.3137, 0.6137, 1.237}) {
            const ListedTree listed = listed_tree(particles, settings_of(theta));
            OnDevice on_device(particles, settings_of(theta));
            on_device.force.construct(false, 0, [] {});
            expect_same_tree(on_device, listed);
            const auto lists = downloaded_lists(*on_device.queue, on_device.force.lists());
            EXPECT_TRUE(lists == lists_on_host(listed)) << size << " " << theta;
            std::uint64_t pairs = 0;
            std::uint32_t largest = 0;
            for (const RowsOfGroup& group : lists) {
                pairs += group.count * (group.rows.size() + group.count - 1);
                largest = std::max(largest, group.count);
            }
            EXPECT_EQ(on_device.force.work().pairs, pairs);
            EXPECT_GE(on_device.force.lists().largest_group(), largest);
        }
    }
}

TEST_P(DeviceResidentForce, has_the_hosts_tree_and_lists) { has_the_hosts_tree_and_lists(GetParam(), false); }
TEST_P(DeviceResidentForce, has_the_hosts_tree_and_lists_of_softenings_that_differ) {
    has_the_hosts_tree_and_lists(GetParam(), true);
}

void gives_the_forces_of_method_g2(const models::Model& model, bool differ) {
    ParticleSet particles = models::made(model, 700, differ), there = models::made(model, 700, differ);
    for (const Precision precision : {Precision::single_, Precision::double_}) {
        ForceSettings settings = settings_of(0.6137);
        settings.precision = precision;
        compute(differ ? *gravity(SofteningOfEach{}, 1, settings, open_device("cpu"))
                       : *gravity(softening, 1, settings, open_device("cpu")),
                particles);
        OnDevice on_device(particles, settings);
        on_device.force.construct(false, 0, [] {});
        on_device.columns.download(there);
        double difference = 0, largest = 1e-300;
        for (std::size_t row = 0; row < particles.size(); ++row) {
            EXPECT_EQ(there[position][row], particles[position][row]);
            difference = std::max(difference, norm(there[acceleration][row] - particles[acceleration][row]) +
                                                  std::abs(there[potential][row] - particles[potential][row]));
            largest = std::max(largest, norm(particles[acceleration][row]) + std::abs(particles[potential][row]));
        }
        EXPECT_LT(difference / largest, precision == Precision::single_ ? 1e-6 : 1e-13);
    }
}

TEST_P(DeviceResidentForce, gives_the_forces_of_method_g2) { gives_the_forces_of_method_g2(GetParam(), false); }
TEST_P(DeviceResidentForce, gives_the_forces_of_method_g2_between_softenings_that_differ) {
    gives_the_forces_of_method_g2(GetParam(), true);
}

INSTANTIATE_TEST_SUITE_P(Of, DeviceResidentForce, testing::ValuesIn(models::models_of_coarse_keys()),
                         [](const auto& of) { return std::string(of.param.name); });

void follow_the_relative_criterion(ParticleSet particles) {
    ForceSettings settings = settings_of(0);
    settings.accuracy = 1e-3;
    OnDevice on_device(particles, settings);
    on_device.force.construct(false, 0, [] {});
    on_device.columns.download(particles);
    std::vector<double> tolerance;
    const double share = share_in_open_space(Opening{}, settings.accuracy);
    for (const auto& a : particles[acceleration]) tolerance.push_back(share * norm(a));
    // Positions are mirrored, so that the order of the tree changes: accelerations go with their particles.
    auto mirrored = on_device.get<Vec3<double>>(on_device.columns.position(), particles.size());
    for (auto& x : mirrored) x.x = -x.x;
    for (auto& x : particles[position]) x.x = -x.x;
    on_device.queue->upload(on_device.columns.position(), 0, std::as_bytes(std::span(mirrored)));
    on_device.queue->wait();
    on_device.force.construct(true, 0, [] {});
    EXPECT_TRUE(downloaded_lists(*on_device.queue, on_device.force.lists()) ==
                lists_on_host(listed_tree(particles, settings, tolerance)));
}

TEST(DeviceResidentForces, follow_the_relative_criterion) {
    follow_the_relative_criterion(models::plummer(3000, 1));
    follow_the_relative_criterion(models::softened(models::plummer(3000, 1)));
}

// Lists are still valid while the particles do not move relative to each other, and until openings have grown by the
// allowed amount.
TEST(DeviceResidentForces, are_reused_while_the_lists_are_valid) {
    ForceSettings settings = settings_of(0.6137);
    settings.lists = Lists::reuse;
    for (const double growth : {0.0, 0.02, 0.09, 0.3}) {
        ParticleSet particles = models::plummer(3000, 1);
        OnDevice on_device(particles, settings);
        on_device.force.construct(false, 0, [] {});
        ASSERT_TRUE(on_device.force.reuse(0, [] {}));
        // All distances grow along one axis: cells grow too, but by their radius, while distances across stay.
        auto moved = on_device.get<Vec3<double>>(on_device.columns.position(), particles.size());
        for (auto& x : moved) x.x *= 1 + growth;
        on_device.queue->upload(on_device.columns.position(), 0, std::as_bytes(std::span(moved)));
        on_device.queue->wait();
        EXPECT_EQ(on_device.force.reuse(0, [] {}), growth < 0.1) << growth;
        on_device.force.construct(false, 0, [] {});
        EXPECT_TRUE(on_device.force.reuse(0, [] {}));
    }
}

// Direct summation in double precision is the oracle.
TEST(DeviceResidentForces, between_softenings_that_differ_have_the_accuracy_asked_for) {
    const auto oracle = gravity(SofteningOfEach{});
    for (const double accuracy : {1e-2, 1e-3}) {
        ParticleSet particles = models::softened(models::plummer(3000, 1));
        OnDevice on_device(particles, {.accuracy = accuracy, .method = Method::tree});
        on_device.force.construct(false, 0, [] {});
        on_device.force.construct(true, 0, [] {});
        on_device.columns.download(particles);
        const Errors errors = errors_of(*oracle, particles);
        EXPECT_LT(errors.acceleration, accuracy);
        EXPECT_LT(errors.potential, accuracy);
    }
}

TEST(DeviceResidentForces, of_no_particles_are_nothing) {
    ParticleSet none(0);
    OnDevice on_device(none, settings_of(0.5));
    on_device.force.construct(false, 0, [] {});
    EXPECT_TRUE(on_device.force.reuse(0, [] {}));
    on_device.columns.download(none);
    EXPECT_EQ(on_device.force.work().pairs, 0U);
}

}  // namespace trellis::resident_force_test
