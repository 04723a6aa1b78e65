// Vectors, and batches of one, against scalars. Compiled for each instruction set that this machine can run
// (tests/CMakeLists.txt).
#include "trellis/base/simd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "trellis/base/batch.hpp"

namespace trellis::simd_test {

template <class T>
class Simd : public testing::Test {
  protected:
    // Fills a batch by lane number.
    template <class Value>
    static Batch<T> batch(Value value) {
        alignas(64) T values[lanes<T>];
        for (std::size_t k = 0; k < lanes<T>; ++k) values[k] = static_cast<T>(value(k));
        return load(values);
    }
    static std::vector<T> values_of(const Batch<T>& b) {
        alignas(64) T values[lanes<T>];
        store(b.part[0], values);
        return {values, values + lanes<T>};
    }
    // Random numbers over the whole range in which squares and cubes stay finite.
    std::vector<T> random_values(std::size_t count) {
        std::vector<T> values(count);
        for (auto& v : values) v = static_cast<T>(std::pow(10.0, std::uniform_real_distribution(-12.0, 12.0)(random_)));
        return values;
    }
    std::mt19937_64 random_{1};
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Simd, ValueTypes);

TYPED_TEST(Simd, rsqrt_equals_the_scalar_one_to_a_few_last_digits) {
    const auto values = this->random_values(100 * lanes<TypeParam>);
    for (std::size_t first = 0; first < values.size(); first += lanes<TypeParam>) {
        const auto result = this->values_of(rsqrt(this->batch([&](std::size_t k) { return values[first + k]; })));
        for (std::size_t k = 0; k < result.size(); ++k) {
            const TypeParam exact = rsqrt(values[first + k]);
            EXPECT_NEAR(result[k] / exact, 1, 4 * std::numeric_limits<TypeParam>::epsilon()) << values[first + k];
        }
    }
}

TYPED_TEST(Simd, all_of_a_mask_means_every_lane) {
    const auto ones = this->batch([](std::size_t) { return 1; });
    EXPECT_TRUE(all_of(ones == ones));
    for (std::size_t lane = 0; lane < lanes<TypeParam>; ++lane)
        EXPECT_FALSE(all_of(ones == this->batch([&](std::size_t k) { return k == lane ? 2 : 1; }))) << lane;
}

TYPED_TEST(Simd, rsqrt_of_zero_is_zero_in_any_lane) {
    for (std::size_t lane = 0; lane < lanes<TypeParam>; ++lane) {
        const auto result = this->values_of(rsqrt(this->batch([&](std::size_t k) { return k == lane ? 0 : 4; })));
        for (std::size_t k = 0; k < result.size(); ++k)
            EXPECT_NEAR(result[k], k == lane ? 0 : 0.5, 1e-6) << "lane " << k;
        EXPECT_EQ(result[lane], 0);
    }
}

TYPED_TEST(Simd, rsqrt_of_subnormal_numbers_is_a_number) {
    const TypeParam tiny = std::numeric_limits<TypeParam>::denorm_min() * 3;
    for (const TypeParam value : this->values_of(rsqrt(this->batch([&](std::size_t) { return tiny; })))) {
        EXPECT_FALSE(std::isnan(value));
        EXPECT_GE(value, 0);
    }
}

TYPED_TEST(Simd, select_takes_each_lane_by_its_own_condition) {
    const auto a = this->batch([](std::size_t k) { return k; });
    const auto result = this->values_of(select(a < TypeParam(2), a, Batch<TypeParam>(TypeParam(-1))));
    for (std::size_t k = 0; k < result.size(); ++k) EXPECT_EQ(result[k], k < 2 ? static_cast<TypeParam>(k) : -1);
}

TYPED_TEST(Simd, exp_equals_the_scalar_one) {
    const auto result = this->values_of(trellis::exp(this->batch([](std::size_t k) { return -0.5 * double(k); })));
    for (std::size_t k = 0; k < result.size(); ++k)
        EXPECT_NEAR(result[k] / std::exp(-0.5 * double(k)), 1, 8 * std::numeric_limits<TypeParam>::epsilon());
}

TYPED_TEST(Simd, transpose_makes_rows_columns) {
    constexpr std::size_t width = lanes<TypeParam>;
    Vector<TypeParam> rows[width];
    for (std::size_t r = 0; r < width; ++r)
        for (std::size_t k = 0; k < width; ++k) rows[r][k] = static_cast<TypeParam>(100 * r + k);
    transpose<TypeParam>(rows);
    for (std::size_t r = 0; r < width; ++r)
        for (std::size_t k = 0; k < width; ++k) EXPECT_EQ(rows[r][k], static_cast<TypeParam>(100 * k + r));
}

TYPED_TEST(Simd, max_and_min_take_each_lane_on_its_own) {
    const Batch<TypeParam> a = this->batch([](std::size_t k) { return k; }), one = 1;
    const auto larger = this->values_of(max(a, one)), smaller = this->values_of(min(a, one));
    for (std::size_t k = 0; k < lanes<TypeParam>; ++k) {
        EXPECT_EQ(larger[k], k < 1 ? 1 : static_cast<TypeParam>(k));
        EXPECT_EQ(smaller[k], k < 1 ? 0 : 1);
    }
}

TYPED_TEST(Simd, sum_of_lanes_takes_every_lane_once) {
    const auto sum = sum_of_lanes(this->batch([](std::size_t k) { return std::size_t{1} << k; }));
    EXPECT_EQ(sum, static_cast<TypeParam>((std::size_t{1} << lanes<TypeParam>)-1));
}

TYPED_TEST(Simd, numbers_that_would_lose_digits_do_not_mix) {
    EXPECT_TRUE((std::is_convertible_v<float, Batch<TypeParam>>));
    EXPECT_TRUE((std::is_convertible_v<int, Batch<TypeParam>>));
    EXPECT_EQ((std::is_convertible_v<double, Batch<TypeParam>>), sizeof(TypeParam) == 8);
}

TYPED_TEST(Simd, bits_of_a_mask_begin_at_lane_zero) {
    const auto lane = this->batch([](std::size_t k) { return k; });
    EXPECT_EQ(bits_of(lane < TypeParam(0)), 0U);
    EXPECT_EQ(bits_of(lane < TypeParam(1)), 1U);
    EXPECT_EQ(bits_of(lane >= TypeParam(0)), (1UL << lanes<TypeParam>)-1);
}

TYPED_TEST(Simd, copy_shifted_equals_the_scalar_difference) {
    const double shift = 12345.678;
    std::vector<double> in(64);
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = shift + 1e-3 * static_cast<double>(k * k);
    for (const std::size_t count : {0UL, 1UL, 7UL, 8UL, 33UL}) {
        std::vector<TypeParam> out(64, TypeParam(-1));
        copy_shifted(in.data(), shift, count, out.data());
        for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(out[k], static_cast<TypeParam>(in[k] - shift));
    }
}

// Checks every choice of Count values.
template <std::size_t Count>
void check_compress() {
    std::uint32_t values[Count];
    for (std::uint32_t k = 0; k < Count; ++k) values[k] = 10 + k;
    for (unsigned long bits = 0; bits < (1UL << Count); ++bits) {
        std::vector<std::uint32_t> expected;
        for (std::size_t k = 0; k < Count; ++k)
            if (bits >> k & 1) expected.push_back(values[k]);
        std::uint32_t out[Count];
        const std::size_t count = compress(bits, values, out);
        EXPECT_EQ(std::vector(out, out + count), expected) << "bits " << bits;
    }
}

TEST(SimdCompress, keeps_the_values_whose_bit_is_set) {
    check_compress<2>();
    check_compress<4>();
    check_compress<8>();
}

}  // namespace trellis::simd_test
