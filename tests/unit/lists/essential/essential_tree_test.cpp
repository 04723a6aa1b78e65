#include "trellis/lists/essential/essential_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trellis/lists/walk/walk_table.hpp"
#include "unit/lists/walk/weighed_tree.hpp"
#include "unit/particle_models.hpp"

namespace trellis::essential_tree_test {

using namespace fields;

constexpr std::size_t size = 700;

struct Trial {
    Trial(const ParticleSet& particles, const Opening& with, const WalkTarget& given, std::uint32_t few = 0)
        : opening(with), target(given), own(particles, opening, 4) {
        Workspace space;
        const WalkTable table(walk_cells(own.listed.tree(), own.listed.moments()), own.listed.sizes(), {}, space);
        tree = find_essential_tree(own.cells(), table.candidates(), opening, target, few);
    }

    std::size_t count(CellKind kind) const {
        return static_cast<std::size_t>(std::ranges::count(tree.shape.kinds, kind));
    }
    // True if the criterion, written out, accepts the cell for a particle of the target at this position.
    bool accepted(std::uint32_t cell, const Vec3<double>& at) const {
        const Moments& moments = own.listed.moments();
        const Vec3<double> apart = moments.spheres()[cell].centre - at;
        const double ratio =
            (own.listed.sizes().empty() ? moments.spheres()[cell].radius : own.listed.sizes()[cell].size) /
            std::sqrt(dot(apart, apart));
        const double error = moments.weights()[cell] * std::pow(ratio, opening.order + 1) / dot(apart, apart);
        return ratio < opening.theta * (1 + 1e-12) && error <= target.smallest_tolerance * (1 + 1e-12);
    }

    Opening opening;
    WalkTarget target;
    WeighedTree own;
    EssentialTree tree;
};

WalkTarget target_at(const Vec3<double>& low, const Vec3<double>& high, double tolerance) {
    const Vec3<double> half = 0.5 * (high - low);
    return {{low, high}, low + half, std::sqrt(dot(half, half)), tolerance, 100 * tolerance, true};
}

// Targets within each arrangement, next to it and far away, for each criterion.
class EssentialTrees : public testing::TestWithParam<models::Model> {
  protected:
    template <class Check>
    void for_each_trial(Check check) const {
        const ParticleSet particles = GetParam().make(size, 3);
        const Vec3<double> middle = particles[position][size / 2];
        for (const Receiver receiver : {Receiver::particle, Receiver::cell})
            for (const double theta : {0.3, 0.8})
                for (const double tolerance : {any_error, 1e-2, 1e-4})
                    for (const double away : {0.0, 0.05, 1.0, 40.0}) {
                        SCOPED_TRACE(testing::Message() << "theta " << theta << " tolerance " << tolerance << " at "
                                                        << away << (receiver == Receiver::cell ? " fmm" : ""));
                        const Vec3<double> low = middle + Vec3<double>{away, -0.1, 0.5 * away};
                        check(Trial(particles, {receiver, theta, receiver == Receiver::cell ? 3 : 1},
                                    target_at(low, low + Vec3<double>{0.3, 0.1, 0.2}, tolerance)));
                    }
    }
};
INSTANTIATE_TEST_SUITE_P(models, EssentialTrees, testing::ValuesIn(models::all_models),
                         testing::PrintToStringParamName());

TEST_P(EssentialTrees, hold_every_particle_once) {
    for_each_trial([](const Trial& trial) {
        std::vector<int> visits(size, 0);
        for (std::size_t k = 0; k < trial.tree.cells.size(); ++k) {
            const Cell& cell = trial.own.cells()[trial.tree.cells[k]];
            if (trial.tree.shape.kinds[k] != CellKind::inner)
                for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot) ++visits[slot];
        }
        EXPECT_EQ(visits, std::vector<int>(size, 1));
    });
}

TEST_P(EssentialTrees, are_breadth_first) {
    for_each_trial([](const Trial& trial) {
        const EssentialShape& shape = trial.tree.shape;
        const std::vector<std::uint32_t>& cells = trial.tree.cells;
        ASSERT_EQ(shape.kinds.size(), cells.size());
        std::vector<std::uint32_t> expected{0}, counts;
        for (std::size_t k = 0; k < cells.size(); ++k) {
            const Cell& cell = trial.own.cells()[cells[k]];
            if (shape.kinds[k] == CellKind::inner) expected.insert(expected.end(), {cell.child, cell.child + 1});
            if (shape.kinds[k] != CellKind::leaf) continue;
            EXPECT_TRUE(cell.is_leaf());
            counts.push_back(cell.count);
        }
        EXPECT_EQ(cells, expected);
        EXPECT_EQ(shape.leaf_counts, counts);
    });
}

TEST_P(EssentialTrees, close_cells_that_every_position_in_the_target_accepts) {
    models::Random random(4);
    for_each_trial([&](const Trial& trial) {
        const auto& [low, high] = trial.target.bounds;
        for (int k = 0; k < 60; ++k) {
            Vec3<double> at;
            for (std::size_t axis = 0; axis < 3; ++axis)
                at[axis] = std::clamp(random.uniform(low[axis] - 0.1, high[axis] + 0.1), low[axis], high[axis]);
            for (std::size_t c = 0; c < trial.tree.cells.size(); ++c)
                if (trial.tree.shape.kinds[c] == CellKind::closed) {
                    ASSERT_TRUE(trial.accepted(trial.tree.cells[c], at));
                }
        }
    });
}

TEST_P(EssentialTrees, open_only_cells_that_some_position_in_the_target_does_not_accept) {
    for_each_trial([](const Trial& trial) {
        for (std::size_t c = 0; c < trial.tree.cells.size(); ++c) {
            if (trial.tree.shape.kinds[c] == CellKind::closed) continue;
            const std::uint32_t cell = trial.tree.cells[c];
            Vec3<double> nearest = trial.own.listed.moments().spheres()[cell].centre;
            for (std::size_t axis = 0; axis < 3; ++axis)
                nearest[axis] =
                    std::clamp(nearest[axis], trial.target.bounds.low[axis], trial.target.bounds.high[axis]);
            const Vec3<double> outwards = 1e-9 * (trial.own.listed.moments().spheres()[cell].centre - nearest);
            ASSERT_FALSE(trial.accepted(cell, nearest + outwards));
        }
    });
}

// An accepted leaf of few particles is a leaf of the essential tree, a larger one is closed; nothing else changes.
TEST_P(EssentialTrees, have_leaves_of_few_particles_instead_of_closed_ones) {
    constexpr std::uint32_t few = 2;
    std::size_t opened = 0;
    for_each_trial([&](const Trial& trial) {
        const Trial with(GetParam().make(size, 3), trial.opening, trial.target, few);
        ASSERT_EQ(with.tree.cells, trial.tree.cells);
        for (std::size_t k = 0; k < trial.tree.cells.size(); ++k) {
            const Cell& cell = trial.own.cells()[trial.tree.cells[k]];
            const bool changes = trial.tree.shape.kinds[k] == CellKind::closed && cell.is_leaf() && cell.count <= few;
            ASSERT_EQ(with.tree.shape.kinds[k], changes ? CellKind::leaf : trial.tree.shape.kinds[k]);
            opened += changes;
        }
        std::vector<std::uint32_t> counts;
        for (std::size_t k = 0; k < with.tree.cells.size(); ++k)
            if (with.tree.shape.kinds[k] == CellKind::leaf)
                counts.push_back(with.own.cells()[with.tree.cells[k]].count);
        ASSERT_EQ(with.tree.shape.leaf_counts, counts);
    });
    EXPECT_EQ(opened > 0, GetParam().name != std::string("one_place"));
}

TEST(EssentialTree, of_a_distant_target_is_one_closed_cell) {
    const Trial trial(models::plummer(size, 1), {}, target_at({1e4, 0, 0}, {1.1e4, 1, 1}, any_error));
    EXPECT_EQ(trial.tree.cells, std::vector<std::uint32_t>{0});
    EXPECT_EQ(trial.tree.shape.kinds, std::vector{CellKind::closed});
    EXPECT_TRUE(trial.tree.shape.leaf_counts.empty());
}

TEST(EssentialTree, of_a_target_all_around_is_all_particles) {
    const Trial trial(models::plummer(size, 1), {}, target_at({-1e3, -1e3, -1e3}, {1e3, 1e3, 1e3}, any_error));
    EXPECT_EQ(trial.tree.cells.size(), trial.own.cells().size());
    EXPECT_EQ(trial.count(CellKind::closed), 0U);
}

TEST(EssentialTree, grows_as_the_tolerance_falls) {
    std::size_t before = 0;
    for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
        const Trial trial(models::plummer(size, 1), {.theta = 0.9}, target_at({2, 2, 2}, {3, 3, 3}, tolerance));
        EXPECT_GT(trial.tree.cells.size(), before);
        before = trial.tree.cells.size();
    }
}

TEST(EssentialTree, of_one_particle_is_that_particle_or_its_cell) {
    const ParticleSet one = models::one_place(1, 1);
    const Vec3<double> at = one[position][0];
    EXPECT_EQ(Trial(one, {}, target_at(at, at, any_error)).tree.shape.kinds, std::vector{CellKind::leaf});
    const Vec3<double> away = at + Vec3<double>{1, 1, 1};
    EXPECT_EQ(Trial(one, {}, target_at(away, away, any_error)).tree.shape.kinds, std::vector{CellKind::closed});
}

TEST(EssentialTree, of_one_position_is_one_leaf_for_any_number_of_particles) {
    const ParticleSet many = models::one_place(50, 1);
    const Trial trial(many, {}, target_at(many[position][0], {1, 1, 1}, any_error));
    EXPECT_EQ(trial.tree.shape.kinds, std::vector{CellKind::leaf});
    EXPECT_EQ(trial.tree.shape.leaf_counts, std::vector<std::uint32_t>{50});
}

}  // namespace trellis::essential_tree_test
