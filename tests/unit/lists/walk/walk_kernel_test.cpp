#include "trellis/lists/walk/walk_kernel.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

namespace trellis::walk_kernel_test {

constexpr Opening opening{Receiver::cell, 0.95, 5};

// Cells at a distance of 5, each of a weight whose force alone is negligible.
std::vector<Candidate> distant_cells(double size, double kind) {
    std::vector<Candidate> cells(100);
    for (std::size_t k = 0; k < cells.size(); ++k)
        cells[k] = {{5 + 1e-3 * static_cast<double>(k), 0, 0}, size, 1e-4, kind, 0, 0, 0};
    return cells;
}

struct Buffers {
    IndexBuffer far, super, near, deferred, opened;
};

// unevenness: the largest tolerance divided by the smallest.
Buffers walked(const std::vector<Candidate>& cells, bool group, double unevenness = 1) {
    const WalkTarget target{{{-1, 0, 0}, {1, 0, 0}}, {0, 0, 0}, 1, 1e-3, unevenness * 1e-3, group};
    std::vector<std::uint32_t> all(cells.size());
    std::iota(all.begin(), all.end(), 0U);
    Buffers buffers;
    TRELLIS_VARIANT(walk_target)
    (cells.data(), opening, target, all, {buffers.far, buffers.super, buffers.near, buffers.deferred, buffers.opened});
    return buffers;
}

// The cells resemble the roots of many ranks' trees: each is within its tolerance, and all errors have one direction.
TEST(WalkKernel, a_target_leaves_cells_much_smaller_than_itself_to_its_halves) {
    for (const double kind : {inner_cell, leaf_cell, closed_cell}) {
        const Buffers buffers = walked(distant_cells(0.9 * small_cell, kind), false);
        EXPECT_EQ(buffers.far.size(), 0U) << "kind " << kind;
        EXPECT_EQ(buffers.deferred.size(), 100U) << "kind " << kind;
    }
}

TEST(WalkKernel, a_target_takes_distant_cells_like_itself_as_a_whole) {
    for (const double kind : {inner_cell, leaf_cell, closed_cell}) {
        EXPECT_EQ(walked(distant_cells(1.1 * small_cell, kind), false).far.size(), 100U) << "kind " << kind;
        EXPECT_EQ(walked(distant_cells(1.1 * small_cell, kind), true, 2.1).far.size(), 100U) << "kind " << kind;
    }
}

TEST(WalkKernel, much_smaller_cells_are_superparticles_for_a_group_or_act_by_their_particles) {
    for (const auto& [size, unevenness] : {std::pair{0.9 * small_cell, 2.1}, {0.9 * small_for_even_group, 1.9}}) {
        EXPECT_EQ(walked(distant_cells(size, inner_cell), true, unevenness).super.size(), 100U) << size;
        EXPECT_EQ(walked(distant_cells(size, closed_cell), true, unevenness).super.size(), 100U) << size;
        EXPECT_EQ(walked(distant_cells(size, leaf_cell), true, unevenness).near.size(), 100U) << size;
    }
}

TEST(WalkKernel, a_group_of_even_forces_takes_somewhat_smaller_cells_as_a_whole) {
    for (const double kind : {inner_cell, leaf_cell, closed_cell})
        EXPECT_EQ(walked(distant_cells(1.1 * small_for_even_group, kind), true, 1.9).far.size(), 100U)
            << "kind " << kind;
}

}  // namespace trellis::walk_kernel_test
