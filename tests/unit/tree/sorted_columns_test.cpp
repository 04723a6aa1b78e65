#include "trellis/tree/sorted_columns.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "unit/particle_models.hpp"

namespace trellis::sorted_columns_test {

using namespace fields;

TEST(SortedColumns, hold_each_component_in_the_given_order) {
    const ParticleSet particles = models::uniform_cube(3000, 1);
    std::vector<std::uint32_t> order(3000);
    std::iota(order.rbegin(), order.rend(), 0U);
    const std::vector<FieldInfo> fields{field_info<Mass>(), field_info<Position>()};
    SortedColumns columns;
    columns.gather(particles, fields, order);
    ASSERT_EQ(columns.component_count(), 4U);
    ASSERT_EQ(columns.size(), 3000U);
    for (std::size_t slot = 0; slot < 3000; ++slot) {
        EXPECT_EQ(columns.component(0)[slot], particles[mass][order[slot]]);
        for (std::size_t axis = 0; axis < 3; ++axis)
            EXPECT_EQ(columns.component(1 + axis)[slot], particles[position][order[slot]][axis]);
    }
}

TEST(SortedColumns, may_be_read_in_whole_batches) {
    SortedColumns columns;
    const std::vector<FieldInfo> fields{field_info<Mass>()};
    columns.gather(ParticleSet(0), fields, {});
    double sum = 0;
    for (std::size_t k = 0; k < SortedColumns::padding; ++k) sum += columns.component(0)[k];
    EXPECT_EQ(sum, 0);
}

}  // namespace trellis::sorted_columns_test
