#include "trellis/packing/packed_integers.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "unit/particle_models.hpp"

namespace trellis::packed_integers_test {

std::vector<std::byte> packed(const std::vector<std::int64_t>& values) {
    ByteWriter out;
    pack(values, out);
    return out.take();
}

std::vector<std::int64_t> there_and_back(const std::vector<std::int64_t>& values) {
    const auto bytes = packed(values);
    ByteReader in(bytes);
    std::vector<std::int64_t> result(values.size());
    unpack(in, result);
    EXPECT_TRUE(in.at_end());
    return result;
}

TEST(PackedIntegers, are_read_unchanged_for_any_width_and_number) {
    models::Random random(1);
    for (unsigned width = 0; width <= 64; ++width)
        for (const std::size_t count : {0, 1, 2, 15, 16, 17, 100}) {
            std::vector<std::int64_t> values(count);
            for (auto& value : values)
                value = width == 0 ? 0 : static_cast<std::int64_t>(random.bits()) >> (64 - width);
            EXPECT_EQ(there_and_back(values), values) << width << " bits, " << count;
        }
}

TEST(PackedIntegers, may_be_the_least_and_the_greatest) {
    const std::vector<std::int64_t> values{std::numeric_limits<std::int64_t>::min(), 0, -1, 1,
                                           std::numeric_limits<std::int64_t>::max()};
    EXPECT_EQ(there_and_back(values), values);
}

TEST(PackedIntegers, have_the_bits_that_the_largest_of_sixteen_needs) {
    std::vector<std::int64_t> values(48, 0);
    EXPECT_EQ(packed(values).size(), 3U);
    values[20] = -4;  // three bits, including the sign
    EXPECT_EQ(packed(values).size(), 3U + 2 * 3);
    values[47] = 4;  // four bits
    EXPECT_EQ(packed(values).size(), 3U + 2 * 3 + 2 * 4);
}

TEST(PackedIntegers, that_were_not_packed_are_refused) {
    std::vector<std::int64_t> values(16);
    const std::vector<std::byte> wide(200, std::byte{65});
    ByteReader of_wide(wide);
    EXPECT_THROW(unpack(of_wide, values), RunError);
    const std::vector<std::byte> cut(10, std::byte{64});
    ByteReader of_cut(cut);
    EXPECT_THROW(unpack(of_cut, values), RunError);
}

}  // namespace trellis::packed_integers_test
