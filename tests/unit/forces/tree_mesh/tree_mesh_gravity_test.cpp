// Gravity by a mesh and a tree, compared with Ewald's sum and with the tree of all images.
#include "trellis/forces/tree_mesh/tree_mesh_gravity.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/gravity/periodic/boxes.hpp"
#include "unit/forces/tree/shared_particles.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::tree_mesh_gravity_test {

using namespace fields;

constexpr std::size_t along = 16;
constexpr double epsilon = 0.02 * box_side / along;

MakeForces by_tree_and_mesh(const ForceSettings& settings, const TreeMeshSettings& mesh = {}) {
    return [=] { return std::vector<std::shared_ptr<Force>>{tree_mesh_gravity(epsilon, 2, settings, mesh)}; };
}

Vec3<double> momentum_of(const ParticleSet& particles) {
    Vec3<double> sum{0, 0, 0};
    for (std::size_t row = 0; row < particles.size(); ++row) sum += particles[mass][row] * particles[acceleration][row];
    return sum;
}

struct Case {
    std::string model;
    double accuracy;
    std::size_t along = trellis::tree_mesh_gravity_test::along;
    friend std::ostream& operator<<(std::ostream& out, const Case& of) {
        return out << of.model << "_at_1e" << std::lround(std::log10(of.accuracy));
    }
};

class TreeMesh : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Of, TreeMesh,
                         testing::Values(Case{"random", 1e-2}, Case{"random", 1e-3}, Case{"random", 1e-4},
                                         Case{"clustered", 1e-2}, Case{"clustered", 1e-3}, Case{"clustered", 1e-4},
                                         Case{"grid", 1e-2}, Case{"grid", 1e-3}, Case{"grid", 1e-4},
                                         Case{"grid", 1e-4, 24}));

TEST_P(TreeMesh, is_as_accurate_as_asked_for_over_the_net_force) {
    const auto [model, accuracy, side] = GetParam();
    const ParticleSet start = in_box(model, side);
    const auto found = run_on_ranks(1, start, by_tree_and_mesh({.accuracy = accuracy}), 0);
    const ParticleSet& particles = *found;
    const auto other_way = gravity(epsilon, 2, {.accuracy = accuracy / 3});
    const NetErrors errors = net_errors(*other_way, particles);
    RecordProperty("error", std::to_string(errors.acceleration / accuracy));
    EXPECT_LT(errors.acceleration, accuracy);
    EXPECT_GT(errors.acceleration, accuracy / 50);
    EXPECT_LT(errors.potential, 1e-2);
    const auto by_images = copy_of(start);
    std::vector<double> previous;
    for (const auto& a : particles[acceleration]) previous.push_back(norm(a));
    other_way->attach(*by_images, 0);
    compute_shared(*other_way, *by_images, {.previous = previous});
    double worst = 0, differences = 0, sizes = 0;
    for (std::size_t row = 0; row < start.size(); ++row) {
        const double difference = norm(particles[acceleration][row] - (*by_images)[acceleration][row]);
        worst = std::max(worst, difference);
        differences += difference * difference / static_cast<double>(start.size());
        sizes += particles[mass][row] * norm(particles[acceleration][row]);
    }
    EXPECT_LT(std::sqrt(differences), 1.2 * accuracy * errors.net);
    EXPECT_LT(worst, 6 * accuracy * errors.net);
    EXPECT_LT(norm(momentum_of(particles)), 0.1 * accuracy * sizes);
}

TEST(TreeMeshOf, a_lattice_is_nearly_zero) {
    const ParticleSet start = in_box("lattice", along);
    const auto found = run_on_ranks(1, start, by_tree_and_mesh({}), 0);
    const double spacing = box_side / along, of_neighbours = 2 * start[mass][0] / (spacing * spacing);
    double squares = 0;
    for (const auto& a : std::as_const(*found)[acceleration]) squares += dot(a, a);
    EXPECT_LT(std::sqrt(squares / static_cast<double>(start.size())), 1e-5 * of_neighbours);
}

// A cutoff of its own and a finer mesh.
TEST(TreeMeshOf, any_number_of_ranks_is_that_of_Ewald) {
    const ParticleSet start = in_box("clustered", 12);
    for (const int ranks : {1, 2, 3}) {
        for (const LetScheme let : {LetScheme::domain_tree, LetScheme::all_to_all}) {
            const auto end = run_on_ranks(
                ranks, start, by_tree_and_mesh({.accuracy = 1e-3, .let = let}, {.cells = 24, .cutoff = 6}), 0);
            EXPECT_LT(net_errors(*gravity(epsilon, 2), *end).acceleration, 1e-3) << ranks;
        }
    }
}

// Expansions of order 5 in a box of 10^5 kpc: powers of its lengths do not fit into single precision.
TEST(TreeMeshOf, any_unit_of_length_is_the_same) {
    const auto accelerations = [](double unit) {
        ParticleSet particles = in_box("clustered", along);
        const Region region = particles.region();
        for (auto& place : particles[position]) place = unit * place;
        particles.set_region({unit * region.low, unit * region.high});
        const auto force = tree_mesh_gravity(unit * epsilon, 2, {.order = 5, .precision = Precision::single_});
        force->attach(particles, 0);
        compute_shared(*force, particles, {});
        return std::vector(particles[acceleration].begin(), particles[acceleration].end());
    };
    constexpr double unit = 1 << 17;
    const auto small = accelerations(1), large = accelerations(unit);
    for (std::size_t row = 0; row < small.size(); ++row)
        EXPECT_LT(norm(unit * unit * large[row] - small[row]), 1e-6 * norm(small[row])) << row;
}

// All of these in a box with sides that differ: half a cube, and one and a half.
TEST(TreeMeshOf, a_box_that_is_no_cube_is_that_of_Ewald) {
    ParticleSet start = in_box("clustered", 12);
    const Vec3<double> stretch{0.5, 1, 1.5};
    for (auto& place : start[position])
        for (std::size_t axis = 0; axis < 3; ++axis) place[axis] *= stretch[axis];
    start.set_region({{-0.5, 0, 1.5}, {0.5, box_side, 1.5 + 1.5 * box_side}});
    for (const int ranks : {1, 3}) {
        const auto end = run_on_ranks(ranks, start, by_tree_and_mesh({.accuracy = 1e-3}), 0);
        EXPECT_LT(net_errors(*tree_mesh_gravity(epsilon, 2), *end).acceleration, 1e-3) << ranks;
    }
}

// Types with softenings of 0.02, 0.04 and 0.08 of the mean distance, as in a zoom.
TEST(TreeMeshOf, softenings_by_type_is_that_of_Ewald) {
    const SofteningOfEach lengths{.by_type = {{"halo", epsilon}, {"disk", 2 * epsilon}, {"bulge", 4 * epsilon}}};
    const auto force = [=] { return tree_mesh_gravity(lengths, 2, {.accuracy = 1e-3}); };
    for (const char* model : {"clustered", "grid"}) {
        ParticleSet start = in_box(model, 12);
        const auto types = start.add(particle_type);
        for (std::size_t row = 0; row < start.size(); ++row)
            types[row] = start[position][row].x < 0 ? 1 : row % 2 == 0 ? 2 : 3;
        for (const int ranks : {1, 3}) {
            const auto end =
                run_on_ranks(ranks, start, [=] { return std::vector<std::shared_ptr<Force>>{force()}; }, 0);
            EXPECT_LT(net_errors(*gravity(lengths, 2), *end).acceleration, 1e-3) << model << ranks;
            EXPECT_LT(net_errors(*force(), *end).acceleration, 1e-3) << model << ranks;
        }
    }
}

ParticleSet in_motion() {
    ParticleSet start = in_box("random", 12);
    models::Random random(3);
    for (auto& v : start[velocity]) v = 0.6 * random.direction();
    return start;
}
const ForceSettings reusing{.accuracy = 1e-3, .lists = Lists::reuse, .reuse_steps = 4, .opening_growth = 1};

TEST(TreeMeshOf, reused_lists_is_that_of_Ewald) {
    for (const int ranks : {1, 3}) {
        ListUse use;
        const auto end = run_on_ranks(ranks, in_motion(), by_tree_and_mesh(reusing), 7, [&](Simulation& sim) {
            if (sim.comm().rank() == 0) use = sim.forces()[0]->list_use();
        });
        EXPECT_GT(use.reuses, 2U) << ranks;
        EXPECT_LT(net_errors(*gravity(epsilon, 2), *end).acceleration, 2e-3) << ranks;
    }
}

TEST(TreeMeshOf, reused_lists_has_the_same_bits_if_nothing_has_moved) {
    const auto force = tree_mesh_gravity(epsilon, 1, {.lists = Lists::reuse});
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

TEST(TreeMeshOf, a_run_that_goes_on_from_a_checkpoint_has_the_same_bits) {
    run_ranks(2, [&](Comm& comm) {
        const auto whole = simulation_on(comm, all_on_first(comm, in_motion()), by_tree_and_mesh(reusing));
        whole->ensure_forces();
        while (whole->step_count() < 6) whole->step();
        const auto saved = copy_of(whole->particles());
        const DomainState domain = whole->domain_state();
        const double time = whole->time();
        const auto resumed = simulation_on(comm, saved, by_tree_and_mesh(reusing));
        resumed->resume(time, 6, domain);
        for (int step = 0; step < 4; ++step) {
            whole->step();
            resumed->step();
        }
        expect_same_bits(resumed->particles(), whole->particles());
    });
}

// The mesh leaves the tree fewer pairs than all images where forces cancel.
TEST(TreeMeshOf, a_grid_takes_fewer_pairs_than_all_images) {
    ParticleSet particles = in_box("grid", along);
    const auto here = tree_mesh_gravity(epsilon, 2), all = gravity(epsilon, 2);
    const std::uint64_t within = compute(*here, particles).pairs;
    EXPECT_LT(within, compute(*all, particles).pairs / 2);
    EXPECT_GT(within, 0U);
}

TEST(TreeMeshOf, its_own_oracle_is_that_of_the_other_way) {
    const ParticleSet particles = in_box("random", 6);
    const Exact here = exact_force(*tree_mesh_gravity(epsilon, 2), particles, 5);
    const Exact there = exact_force(*gravity(epsilon, 2), particles, 5);
    EXPECT_LT(norm(here.acceleration - there.acceleration), 1e-6 * norm(there.acceleration));
}

std::string refusal(const Region& region, const ForceSettings& settings = {}, const TreeMeshSettings& mesh = {}) {
    return message_of([&] {
        ParticleSet particles = in_box("random", 4);
        particles.set_region(region);
        tree_mesh_gravity(epsilon, 1, settings, mesh)->attach(particles, 0);
    });
}

TEST(TreeMeshOf, what_it_cannot_do_is_refused) {
    EXPECT_EQ(refusal({}), "a force with a mesh needs a box that is periodic along all axes: along x space is open");
    constexpr double far = Region::infinity;
    EXPECT_EQ(refusal({{0, 0, -far}, {1, 1, far}}),
              "a force with a mesh needs a box that is periodic along all axes: along z space is open");
    EXPECT_EQ(refusal(unit_box, {.accuracy = 1e-5}),
              "accuracy is 1e-05: allowed with method treepm is 9e-05 to below 1");
    EXPECT_EQ(refusal(unit_box, {.order = 1}), "order is 1: allowed with method treepm is 2 to 5");
    EXPECT_EQ(refusal(unit_box, {}, {.cells = 8, .cutoff = 5}),
              "a mesh of 8 cells has a cutoff of 5 cells, more than half of a side: allowed are more cells");
    EXPECT_EQ(refusal(unit_box, {}, {.cells = -1}), "mesh_cells is -1: allowed is 4 or more");
    EXPECT_EQ(message_of([] { gravity(epsilon, 1, {.method = Method::treepm}); }),
              "method is treepm: allowed for gravity alone");
    EXPECT_EQ(message_of([] { tree_mesh_gravity(SofteningOfEach{.by_type = {{"halo", 0.1}}, .max_physical = 0.1}); }),
              "softening_max_physical is given: allowed with method fmm or tree");
}

}  // namespace trellis::tree_mesh_gravity_test
