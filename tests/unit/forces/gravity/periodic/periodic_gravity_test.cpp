// Gravity in a periodic cube, compared with Ewald's sum.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/gravity/periodic/boxes.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::periodic_gravity_test {

using namespace fields;

constexpr std::size_t along = 12;
constexpr double epsilon = 0.02 * box_side / along;

std::shared_ptr<ParticleSet> computed(Force& force, const ParticleSet& start) {
    const auto particles = copy_of(start);
    Simulation sim(particles, 0.01);
    sim.add_force(std::shared_ptr<Force>(&force, [](Force*) {}));
    sim.compute_forces();
    const auto in_order = copy_of(*particles);
    put_by_id(*particles, *in_order);
    return in_order;
}

struct Case {
    std::string model;
    double accuracy;
    friend std::ostream& operator<<(std::ostream& out, const Case& of) {
        return out << of.model << "_at_1e" << std::lround(std::log10(of.accuracy));
    }
};

class PeriodicGravity : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Of, PeriodicGravity,
                         testing::Values(Case{"random", 1e-2}, Case{"random", 1e-3}, Case{"random", 1e-4},
                                         Case{"clustered", 1e-2}, Case{"clustered", 1e-3}, Case{"clustered", 1e-4},
                                         Case{"grid", 1e-2}, Case{"grid", 1e-3}, Case{"grid", 1e-4}));

TEST_P(PeriodicGravity, is_as_accurate_as_asked_for_over_the_net_force) {
    const auto [model, accuracy] = GetParam();
    const auto force = gravity(epsilon, 2, {.accuracy = accuracy});
    const auto computed_particles = computed(*force, in_box(model, along));
    const ParticleSet& particles = *computed_particles;
    const NetErrors errors = net_errors(*force, particles);
    EXPECT_LT(errors.acceleration, accuracy);
    EXPECT_LT(errors.potential, std::max(accuracy, 1e-3));  // potentials of the images cancel in single precision
    Vec3<double> momentum{0, 0, 0};
    double sizes = 0;
    for (std::size_t row = 0; row < particles.size(); ++row) {
        momentum += particles[mass][row] * particles[acceleration][row];
        sizes += particles[mass][row] * norm(particles[acceleration][row]);
    }
    EXPECT_LT(norm(momentum), 0.1 * accuracy * sizes);
}

// Also with images softened to the same order near and far: else the box would have a middle.
TEST(PeriodicGravityOf, a_lattice_is_nearly_zero) {
    ParticleSet start = in_box("lattice", 8);
    std::ranges::fill(start.add(softening), 5 * epsilon);
    const double spacing = box_side / 8, of_neighbours = start[mass][0] / (spacing * spacing);
    std::vector<std::unique_ptr<Force>> forces;
    forces.push_back(gravity(5 * epsilon));
    forces.push_back(gravity(SofteningOfEach{}));
    for (const auto& force : forces) {
        const auto particles = computed(*force, start);
        double squares = 0;
        for (const auto& a : (*particles)[acceleration]) squares += dot(a, a);
        EXPECT_LT(std::sqrt(squares / static_cast<double>(particles->size())), 1e-5 * of_neighbours);
    }
}

TEST(PeriodicGravityOf, translated_particles_is_the_same) {
    const auto force = gravity(epsilon);
    const ParticleSet start = in_box("clustered", along);
    const auto here = computed(*force, start), moved = copy_of(start);
    for (auto& place : (*moved)[position]) place += Vec3<double>{0.7, -3.1, 1234.5};
    const auto there = computed(*force, *moved);
    double squares = 0, differences = 0;
    for (std::size_t row = 0; row < start.size(); ++row) {
        const Vec3<double> difference = (*there)[acceleration][row] - (*here)[acceleration][row];
        differences += dot(difference, difference);
        squares += dot((*here)[acceleration][row], (*here)[acceleration][row]);
    }
    EXPECT_LT(std::sqrt(differences / squares), 1e-3);
}

// Settings that go the same way.
struct Way {
    const char* name;
    ForceSettings settings;
    double error;
    bool softenings = false, device = false;
    friend std::ostream& operator<<(std::ostream& out, const Way& of) { return out << of.name; }
};

std::unique_ptr<ForceByTree> force_of(const Way& way) {
    std::shared_ptr<Device> device;
    if (way.device) device = open_device("cpu");
    if (way.softenings) return gravity(SofteningOfEach{}, 1, way.settings, device);
    return gravity(epsilon, 1, way.settings, device);
}

ParticleSet softened(const std::string& model) {
    ParticleSet particles = in_box(model, 10);
    const auto e = particles.add(softening);
    for (std::size_t row = 0; row < e.size(); ++row) e[row] = row % 2 == 0 ? 0.01 : 0.08;
    return particles;
}

const std::array ways{Way{"fmm", {.accuracy = 1e-3}, 1e-3},
                      Way{"geometric", {.theta = 0.4}, 2e-3},
                      Way{"tree", {.accuracy = 1e-3, .method = Method::tree}, 1e-3},
                      Way{"double", {.accuracy = 1e-4, .precision = Precision::double_}, 1e-4},
                      Way{"softenings", {.accuracy = 1e-3}, 1e-3, true},
                      Way{"all_to_all", {.accuracy = 1e-3, .let = LetScheme::all_to_all}, 1e-3},
                      Way{"compressed", {.accuracy = 1e-3, .compress = true}, 1e-3},
                      Way{"device", {.theta = 0.4, .method = Method::tree}, 1e-2, false, true},
                      Way{"device_fmm", {.accuracy = 1e-3, .method = Method::fmm}, 1e-3, false, true}};

class PeriodicGravityBy : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Way, PeriodicGravityBy, testing::ValuesIn(ways), testing::PrintToStringParamName());

TEST_P(PeriodicGravityBy, any_number_of_ranks_is_that_of_Ewald) {
    const ParticleSet start = softened("clustered");
    for (const int ranks : {1, 2, 3}) {
        const auto end =
            run_on_ranks(ranks, start, [&] { return std::vector<std::shared_ptr<Force>>{force_of(GetParam())}; }, 0);
        EXPECT_LT(net_errors(*force_of(GetParam()), *end).acceleration, GetParam().error) << ranks;
    }
}

// Half of the particles cross a face while lists are reused.
TEST_P(PeriodicGravityBy, reused_lists_is_that_of_Ewald) {
    ParticleSet start = softened("random");
    models::Random random(3);
    for (auto& v : start[velocity]) v = 0.6 * random.direction();
    Way way = GetParam();
    way.settings.lists = Lists::reuse;
    way.settings.reuse_steps = 4;
    way.settings.opening_growth = 1;
    for (const int ranks : {1, 3}) {
        ListUse use;
        const auto end = run_on_ranks(
            ranks, start, [&] { return std::vector<std::shared_ptr<Force>>{force_of(way)}; }, 7,
            [&](Simulation& sim) {
                if (sim.comm().rank() == 0) use = sim.forces()[0]->list_use();
            });
        EXPECT_GT(use.reuses, 2U) << ranks;
        EXPECT_LT(net_errors(*force_of(way), *end).acceleration, 3 * way.error) << ranks;
    }
}

TEST(PeriodicGravityOf, reused_lists_has_the_same_bits_if_nothing_has_moved) {
    const auto force = gravity(epsilon, 1, {.lists = Lists::reuse});
    ParticleSet particles = in_box("random", 8);
    force->attach(particles, 0);
    const std::vector<double> previous(particles.size(), 1);
    const auto compute_step = [&](bool may_reuse) {
        compute_shared(*force, particles, {.previous = previous, .may_reuse = may_reuse});
        return std::vector(particles[acceleration].begin(), particles[acceleration].end());
    };
    const auto built = compute_step(false);
    EXPECT_EQ(compute_step(true), built);
    EXPECT_EQ(force->list_use().reuses, 1U);
}

TEST(PeriodicGravityOf, a_box_that_is_closed_in_between_is_that_of_Ewald) {
    const auto force = gravity(epsilon, 1, {.lists = Lists::reuse});
    ParticleSet particles = in_box("clustered", 8);
    particles.set_region({});
    force->attach(particles, 0);
    const std::vector<double> previous(particles.size(), 0.1);
    compute_shared(*force, particles, {.previous = previous});
    particles.set_region(unit_box);
    compute_shared(*force, particles, {.previous = previous, .may_reuse = true});
    EXPECT_LT(net_errors(*force, particles).acceleration, 1e-3);
}

std::string refusal(const Region& region, const ForceSettings& settings = {}) {
    auto particles = std::make_shared<ParticleSet>(in_box("random", 2));
    particles->set_region(region);
    Simulation sim(particles, 0.01);
    sim.add_force(gravity(epsilon, 1, settings));
    return message_of([&] { sim.compute_forces(); });
}

TEST(PeriodicGravityOf, other_boxes_is_refused) {
    constexpr double far = Region::infinity;
    EXPECT_EQ(refusal({{0, -far, 0}, {1, far, 2}}),
              "the particles' periodic box has the sides 1, infinity and 2: allowed are equal periods, or with method "
              "treepm any along all axes");
    EXPECT_EQ(refusal({{0, 0, 0}, {1, 1, 2}}),
              "the particles' periodic box has the sides 1, 1 and 2: allowed are equal periods, or with method treepm "
              "any along all axes");
    EXPECT_EQ(refusal({{0, 0, 0}, {1, 1, 1}}, {.accuracy = 1e-7}),
              "accuracy is 1e-07: allowed in a periodic box is 1e-06 or more");
}

// Boxes that repeat along some axes alone, as sheets and wires of matter.
Region opened(const std::array<bool, 3>& periodic) {
    Region region = unit_box;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (!periodic[axis]) {
            region.low[axis] = -Region::infinity;
            region.high[axis] = Region::infinity;
        }
    return region;
}

class PeriodicGravityAlong : public testing::TestWithParam<std::array<bool, 3>> {};
INSTANTIATE_TEST_SUITE_P(Axes, PeriodicGravityAlong,
                         testing::Values(std::array{true, true, false}, std::array{false, true, true},
                                         std::array{false, true, false}),
                         [](const auto& of) {
                             std::string axes;
                             for (std::size_t axis = 0; axis < 3; ++axis)
                                 if (of.param[axis]) axes += "xyz"[axis];
                             return axes;
                         });

TEST_P(PeriodicGravityAlong, some_axes_is_as_accurate_as_asked_for) {
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
        ParticleSet start = in_box("clustered", 10);
        start.set_region(opened(GetParam()));
        const auto force = gravity(epsilon, 2, {.accuracy = accuracy});
        const NetErrors errors = net_errors(*force, *computed(*force, start));
        EXPECT_LT(errors.acceleration, accuracy);
        EXPECT_LT(errors.potential, std::max(accuracy, 1e-3));
    }
}

TEST_P(PeriodicGravityAlong, some_axes_on_any_number_of_ranks_is_that_of_all_images) {
    for (const Way& way : {ways[0], ways[2], ways[4]}) {
        ParticleSet start = softened("random");
        start.set_region(opened(GetParam()));
        for (const int ranks : {1, 3}) {
            const auto end =
                run_on_ranks(ranks, start, [&] { return std::vector<std::shared_ptr<Force>>{force_of(way)}; }, 2);
            EXPECT_LT(net_errors(*force_of(way), *end).acceleration, way.error) << way << ranks;
        }
    }
}

TEST(PeriodicGravityOf, particles_far_from_the_others_along_an_open_axis_is_refused) {
    const auto force = gravity(epsilon);
    ParticleSet particles = in_box("random", 2);
    particles.set_region(opened({true, true, false}));
    for (Vec3<double>& place : particles[position]) place.z = 0;
    particles[position][3].z = 3;
    Phases phases;
    EXPECT_EQ(message_of<RunError>([&] { force->dispatch(particles, {}, phases); }),
              "the particle at index 0 is 1.5 from the middle of all along z, where the box is open: allowed under "
              "gravity is up to 1.25, five eighths of the period");
}

TEST(PeriodicGravityOf, particles_far_beyond_the_box_is_refused) {
    const auto force = gravity(epsilon);
    ParticleSet particles = in_box("random", 2);
    particles[position][5].y = unit_box.high.y + 0.3;
    Phases phases;
    EXPECT_EQ(message_of<RunError>([&] { force->dispatch(particles, {}, phases); }),
              "the particle at index 5 has gone 0.3 beyond the periodic box since it was last brought back: allowed "
              "under gravity is up to an eighth of the side");
}

}  // namespace trellis::periodic_gravity_test
