#include "trellis/packing/delta_base_cache.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace trellis::former_copies_test {

constexpr NumberRecords pairs{8, 2, 0};

std::vector<std::byte> copy_at(int step, std::size_t bytes) {
    std::mt19937 random(1);
    std::vector<double> values(bytes / sizeof(double));
    for (double& value : values) value = static_cast<double>(random()) + step * static_cast<double>(random() % 100);
    std::vector<std::byte> copy(bytes);
    std::memcpy(copy.data(), values.data(), bytes);
    return copy;
}

// Sends a copy from one end to the other; returns the number of bytes sent.
std::size_t sent(DeltaBase& here, DeltaBase& there, const std::vector<std::byte>& now, bool restart) {
    std::size_t bytes = 0, end = 0;
    for (const PackedPart& part : here.pack(pairs, now, restart)) {
        EXPECT_EQ(part.offset, end);
        end += part.bytes;
        const auto expected = std::span(now).subspan(part.offset, part.bytes);
        bytes += part.packed ? part.packed->size() : part.bytes;
        if (part.packed == nullptr) {
            EXPECT_EQ(part.former, 0U);
            there.note(part.offset, expected);
            continue;
        }
        const auto read = there.unpack(pairs, part.former, *part.packed, part.offset, part.bytes);
        EXPECT_TRUE(std::ranges::equal(read, expected));
    }
    EXPECT_EQ(end, now.size());
    return bytes;
}

// Copies longer than a part, and memory larger than the copy.
TEST(DeltaBaseCache, of_both_ends_stay_the_same) {
    constexpr std::size_t size = 600'000;
    DeltaBase here(size + 1000), there(size + 1000);
    EXPECT_EQ(sent(here, there, copy_at(0, size), true), size);
    EXPECT_LT(sent(here, there, copy_at(1, size), false), size / 2);
    EXPECT_LT(sent(here, there, copy_at(2, size), false), size / 50);
    EXPECT_EQ(sent(here, there, copy_at(9, size), true), size);
    EXPECT_LT(sent(here, there, copy_at(10, size), false), size / 2);
}

TEST(DeltaBaseCache, take_no_more_memory_than_allowed) {
    DeltaBaseCache copies(1000);
    auto first = copies.of(1, 300);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(copies.of(1, 300), first);
    EXPECT_EQ(copies.of(2, 300), nullptr);
    EXPECT_NE(copies.of(3, 200), nullptr);
    copies.forget(1);
    EXPECT_EQ(copies.of(2, 300), nullptr);  // another owner still has the copy
    first = nullptr;
    EXPECT_NE(copies.of(2, 300), nullptr);
}

}  // namespace trellis::former_copies_test
