#include "trellis/lists/neighbours/search/search_tree.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "trellis/tree/morton.hpp"
#include "unit/particle_models.hpp"
#include "unit/with_threads.hpp"

namespace trellis::search_tree_test {

using namespace fields;

struct Trial {
    Trial(const ParticleSet& particles, std::uint32_t leaf_size) {
        models::Random random(5);
        positions.assign(particles[position].begin(), particles[position].end());
        for (std::size_t row = 0; row < positions.size(); ++row) radii.push_back(random.uniform(0, 1));
        Phases phases;
        tree.build(positions, Radii(radii), leaf_size, phases);
    }

    const Cell& cell(std::uint32_t index) const { return tree.cells()[index]; }

    std::vector<Vec3<double>> positions;
    std::vector<double> radii;
    SearchTree tree;
};

// The zone of a range of slots, joined from their rows.
Zone zone_of(const Trial& trial, std::uint32_t first, std::uint32_t end) {
    const auto particle = [&](std::uint32_t slot) {
        const std::uint32_t row = trial.tree.order()[slot];
        return Zone{{trial.positions[row], trial.positions[row]}, trial.radii[row]};
    };
    Zone zone = particle(first);
    for (std::uint32_t slot = first + 1; slot < end; ++slot) zone = join(zone, particle(slot));
    return zone;
}

void expect_same(const Zone& a, const Zone& b) {
    EXPECT_EQ(a.bounds.low, b.bounds.low);
    EXPECT_EQ(a.bounds.high, b.bounds.high);
    EXPECT_EQ(a.radius, b.radius);
}

class SearchTrees : public testing::TestWithParam<models::Model> {
  protected:
    template <class Check>
    void for_each_trial(Check check) const {
        for (const std::size_t size : {1, 2, 15, 16, 17, 33, 1000})
            for (const std::uint32_t leaf_size : {1, 16, 40, 128}) {
                SCOPED_TRACE(testing::Message() << size << " particles, leaves of " << leaf_size);
                check(Trial(GetParam().make(size, 3), leaf_size), leaf_size);
            }
    }
};
INSTANTIATE_TEST_SUITE_P(models, SearchTrees, testing::ValuesIn(models::all_models), testing::PrintToStringParamName());

TEST_P(SearchTrees, have_a_slot_for_every_row) {
    for_each_trial([](const Trial& trial, std::uint32_t) {
        std::vector<std::uint32_t> rows(trial.tree.order().begin(), trial.tree.order().end());
        for (std::size_t slot = 0; slot < rows.size(); ++slot) {
            EXPECT_EQ(trial.tree.positions()[slot], trial.positions[rows[slot]]);
            EXPECT_EQ(trial.tree.radii()[slot], trial.radii[rows[slot]]);
        }
        std::ranges::sort(rows);
        std::vector<std::uint32_t> all(trial.positions.size());
        std::iota(all.begin(), all.end(), 0U);
        EXPECT_EQ(rows, all);
        EXPECT_EQ(trial.tree.size(), all.size());
    });
}

TEST_P(SearchTrees, consist_of_leaves_one_after_the_other) {
    for_each_trial([](const Trial& trial, std::uint32_t leaf_size) {
        std::uint32_t next = 0;
        for (const std::uint32_t leaf : trial.tree.leaves()) {
            EXPECT_TRUE(trial.cell(leaf).is_leaf());
            EXPECT_EQ(trial.cell(leaf).first, next);
            EXPECT_TRUE(trial.cell(leaf).count <= leaf_size || trial.cell(leaf).depth % key_bits == 0);
            next = trial.cell(leaf).end();
        }
        EXPECT_EQ(next, trial.positions.size());
    });
}

TEST_P(SearchTrees, know_the_zones_of_cells_and_blocks) {
    for_each_trial([](const Trial& trial, std::uint32_t) {
        for (std::uint32_t c = 0; c < trial.tree.cells().size(); ++c)
            expect_same(trial.tree.zone(c), zone_of(trial, trial.cell(c).first, trial.cell(c).end()));
        for (const std::uint32_t leaf : trial.tree.leaves()) {
            const Cell& cell = trial.cell(leaf);
            for (std::uint32_t b = 0, first = cell.first; first < cell.end(); ++b, first += SearchTree::block_size)
                expect_same(trial.tree.block(leaf, b),
                            zone_of(trial, first, std::min(first + SearchTree::block_size, cell.end())));
        }
    });
}

// Both halves consist of full blocks: the first half of the blocks, and the rest.
TEST_P(SearchTrees, divide_the_blocks_of_a_leaf_across_its_longest_side) {
    for_each_trial([](const Trial& trial, std::uint32_t) {
        for (const std::uint32_t leaf : trial.tree.leaves()) {
            const Cell& cell = trial.cell(leaf);
            const std::uint32_t blocks = SearchTree::blocks_of(cell.count);
            if (blocks < 2) continue;
            const std::uint32_t middle = cell.first + blocks / 2 * SearchTree::block_size;
            const Extent here = trial.tree.zone(leaf).bounds;
            const Vec3<double> sides = here.high - here.low;
            bool divided = false;
            for (std::size_t axis = 0; axis < 3; ++axis)
                divided = divided ||
                          (sides[axis] == largest(sides) && zone_of(trial, cell.first, middle).bounds.high[axis] <=
                                                                zone_of(trial, middle, cell.end()).bounds.low[axis]);
            EXPECT_TRUE(divided);
        }
    });
}

TEST_P(SearchTrees, are_the_same_for_any_number_of_threads) {
    const ParticleSet particles = GetParam().make(3000, 3);
    const auto tree_of = [&](int threads) { return with_threads(threads, [&] { return Trial(particles, 128).tree; }); };
    const SearchTree one = tree_of(1);
    for (const int threads : {2, 3, 4}) {
        const SearchTree many = tree_of(threads);
        EXPECT_TRUE(std::ranges::equal(many.order(), one.order()));
        EXPECT_TRUE(std::ranges::equal(many.leaves(), one.leaves()));
        for (std::uint32_t cell = 0; cell < one.cells().size(); ++cell) expect_same(many.zone(cell), one.zone(cell));
    }
}

TEST(SearchTree, of_no_particles_has_no_cell) {
    const Trial trial(ParticleSet(0), 16);
    EXPECT_EQ(trial.tree.size(), 0U);
    EXPECT_TRUE(trial.tree.cells().empty());
    EXPECT_TRUE(trial.tree.leaves().empty());
}

TEST(SearchTree, forgets_former_particles) {
    Trial trial(models::uniform_cube(500, 1), 16);
    const Trial fewer(models::plummer(100, 1), 16);
    Phases phases;
    trial.tree.build(fewer.positions, Radii(fewer.radii), 16, phases);
    EXPECT_TRUE(std::ranges::equal(trial.tree.order(), fewer.tree.order()));
    EXPECT_TRUE(std::ranges::equal(trial.tree.leaves(), fewer.tree.leaves()));
    for (std::uint32_t c = 0; c < fewer.tree.cells().size(); ++c) expect_same(trial.tree.zone(c), fewer.tree.zone(c));
}

}  // namespace trellis::search_tree_test
