// The memory that a launch of the last kernel of particles that stay on a device uses.
#include "trellis/forces/short_range/kernels/finish_grid.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "trellis/devices/cpu_grid.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"

namespace trellis::finish_grid_test {

// Atoms read a value beside their position, the mass, and have a result beside acceleration and potential, the virial.
using Grid = FinishGrid<LennardJones, float>;
constexpr std::uint64_t block = SearchTree::block_size;

// Why a server refuses a launch for one block with memories of these bytes; empty if it does not.
std::string refusal(std::uint64_t particles, const std::vector<std::uint64_t>& bytes) {
    const GridCall<Grid> call{block, {LennardJones(1, 1, 2.5, Truncation::plain), block, particles}};
    return excess_of(grid_arguments<Grid>(), std::as_bytes(std::span(&call, 1)), bytes);
}

TEST(FinishGrid, is_refused_without_memory_for_what_it_reads_and_writes) {
    constexpr std::uint64_t particles = 10, vectors = particles * sizeof(Vec3<double>);
    constexpr std::uint64_t numbers = particles * sizeof(double), outcome = 5 * block * sizeof(float);
    const std::vector<std::uint64_t> enough{sizeof(ListedBlock), outcome, vectors, numbers, vectors, numbers, numbers};
    EXPECT_EQ(refusal(particles, enough), "");
    for (std::size_t k = 0; k < enough.size(); ++k)
        for (const std::uint64_t less : {enough[k] - 1, std::uint64_t{0}}) {
            std::vector<std::uint64_t> bytes = enough;
            bytes[k] = less;
            EXPECT_EQ(refusal(particles, bytes), "uses " + std::to_string(enough[k]) + " bytes of its memory " +
                                                     std::to_string(k + 1) + ", which has " + std::to_string(less));
        }
}

TEST(FinishGrid, needs_no_memory_for_no_particles) {
    EXPECT_EQ(refusal(0, {sizeof(ListedBlock), 5 * block * sizeof(float), 0, 0, 0, 0, 0}), "");
}

}  // namespace trellis::finish_grid_test
