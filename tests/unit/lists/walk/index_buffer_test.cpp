#include "trellis/lists/walk/index_buffer.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace trellis::index_buffer_test {

IndexBuffer buffer_up_to(std::uint32_t count) {
    IndexBuffer buffer;
    for (std::uint32_t k = 0; k < count; ++k) {
        buffer.make_room(1);
        buffer.begin()[buffer.size()] = k;
        buffer.set_size(buffer.size() + 1);
    }
    return buffer;
}

TEST(IndexBuffer, keeps_its_values_as_it_grows) {
    const IndexBuffer buffer = buffer_up_to(10'000);
    ASSERT_EQ(buffer.size(), 10'000U);
    for (std::uint32_t k = 0; k < 10'000; ++k) EXPECT_EQ(buffer[k], k);
    const auto some = buffer.span(100, 103);
    EXPECT_EQ(std::vector(some.begin(), some.end()), (std::vector<std::uint32_t>{100, 101, 102}));
}

TEST(IndexBuffer, may_be_written_after_its_end) {
    IndexBuffer buffer;
    buffer.make_room(1000);
    for (std::uint32_t k = 0; k < 1000; ++k) buffer.begin()[k] = k;
    EXPECT_EQ(buffer.size(), 0U);
    buffer.set_size(1000);
    EXPECT_EQ(buffer[999], 999U);
}

TEST(IndexBuffer, moves_without_a_copy) {
    IndexBuffer from = buffer_up_to(3);
    const auto* values = from.begin();
    IndexBuffer to = std::move(from);
    EXPECT_EQ(to.begin(), values);
    IndexBuffer assigned = buffer_up_to(5);
    assigned = std::move(to);
    EXPECT_EQ(assigned.begin(), values);
    EXPECT_EQ(assigned.size(), 3U);
}

TEST(IndexBuffer, may_be_empty) {
    const IndexBuffer buffer;
    EXPECT_EQ(buffer.size(), 0U);
    EXPECT_TRUE(buffer.span(0, 0).empty());
}

}  // namespace trellis::index_buffer_test
