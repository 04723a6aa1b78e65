#include "trellis/forces/short_range/source_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "trellis/particles/particle_set.hpp"
#include "unit/particle_models.hpp"

namespace trellis::source_rows_test {

using namespace fields;

constexpr std::size_t count = 3000, width = 4;
constexpr double end = 5;  // kinds are 0 to 4

// Masses, which are the kinds, in and out of the limits.
double kind_of(std::size_t row) { return 0.7 * static_cast<double>(row % 13) - 2; }
double whole_kind_of(std::size_t row) { return std::max(-1.0, std::min(end, std::floor(kind_of(row)))); }

ParticleSet particles_with_kinds() {
    ParticleSet particles = models::uniform_cube(count, 1);
    for (std::size_t row = 0; row < count; ++row) particles[mass][row] = kind_of(row);
    return particles;
}

TEST(SourceRows, HaveWholeKindsWithinLimits) {
    const ParticleSet particles = particles_with_kinds();
    const std::vector<FieldInfo> read = {field_info<Position>(), field_info<Mass>()};
    std::vector<std::uint32_t> order(count), blocks((count - 1) / SortedColumns::block_slots + 1);
    std::iota(order.begin(), order.end(), 0);
    std::iota(blocks.begin(), blocks.end(), 0);
    SourceRows rows(RowKinds{3, static_cast<std::size_t>(end)}), any(std::nullopt);
    for (int time = 0; time < 2; ++time) {  // the second time only a block
        rows.gather(particles, read, 4, order, blocks);
        any.gather(particles, read, 4, order, blocks);
        for (std::size_t slot = 0; slot < count; ++slot) {
            EXPECT_EQ(rows.data()[slot * width], particles[position][slot].x);
            EXPECT_EQ(rows.data()[slot * width + 3], whole_kind_of(slot));
            EXPECT_EQ(any.data()[slot * width + 3], kind_of(slot));
        }
        blocks.resize(1);
    }
}

TEST(SourceRows, AreTheSameByColumns) {
    const ParticleSet particles = particles_with_kinds();
    const std::vector<FieldInfo> read = {field_info<Position>(), field_info<Mass>()};
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    SortedColumns columns;
    columns.gather(particles, read, order);
    SourceRows rows(RowKinds{3, static_cast<std::size_t>(end)});
    rows.make_room(count, 4);
    rows.copy(columns, 0, count);
    for (std::size_t slot = 0; slot < count; ++slot) EXPECT_EQ(rows.data()[slot * width + 3], whole_kind_of(slot));
}

}  // namespace trellis::source_rows_test
