// Several vectors as one number against each vector on its own. Compiled for each instruction set
// (tests/CMakeLists.txt).
#include "trellis/base/batch.hpp"

#include <gtest/gtest.h>

namespace trellis::batch_test {

constexpr int parts = 3;

template <class T>
class BatchOfParts : public testing::Test {
  protected:
    using Several = Batch<T, parts>;

    // A part whose values differ from lane to lane and from part to part.
    static Batch<T> part(int k, int shift) {
        Vector<T> values;
        for (std::size_t lane = 0; lane < lanes<T>; ++lane)
            values[lane] = static_cast<T>(int(lane) % 3 + 2 * k + shift);
        return values;
    }
    static Several several(int shift) {
        Several value;
        for (int k = 0; k < parts; ++k) value.part[k] = part(k, shift).part[0];
        return value;
    }

    // EXPECTs that operation does to each part of two values the same as to the parts alone.
    template <class Operation>
    static void expect_part_by_part(Operation operation) {
        const auto result = operation(several(1), several(3));
        for (int k = 0; k < parts; ++k)
            EXPECT_TRUE(all_of(Batch<T>(result.part[k]) == operation(part(k, 1), part(k, 3)))) << k;
    }
};

using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(BatchOfParts, ValueTypes);

TYPED_TEST(BatchOfParts, arithmetic_is_that_of_each_part) {
    this->expect_part_by_part([](const auto& a, const auto& b) { return a + b; });
    this->expect_part_by_part([](const auto& a, const auto& b) { return a - b; });
    this->expect_part_by_part([](const auto& a, const auto& b) { return a * b; });
    this->expect_part_by_part([](const auto& a, const auto& b) { return a / b; });
    this->expect_part_by_part([](const auto& a, const auto&) { return -a; });
    this->expect_part_by_part([](auto a, const auto& b) { return a += b, a *= b, a -= b, a /= b; });
}

TYPED_TEST(BatchOfParts, numbers_mix_with_them) {
    this->expect_part_by_part([](const auto& a, const auto& b) { return 2.0F * a + b * TypeParam(3) - 1; });
    this->expect_part_by_part([](const auto& a, const auto&) { return a + Constant{0.5}; });
}

TYPED_TEST(BatchOfParts, functions_are_those_of_each_part) {
    this->expect_part_by_part([](const auto& a, const auto&) { return rsqrt(a - TypeParam(1)); });
    this->expect_part_by_part([](const auto& a, const auto& b) { return trellis::exp(a - b); });
}

TYPED_TEST(BatchOfParts, select_takes_each_lane_by_its_own_condition) {
    const TypeParam four = 4;
    this->expect_part_by_part([=](const auto& a, const auto& b) { return select(a < four, a, b); });
    this->expect_part_by_part([=](const auto& a, const auto& b) { return select(a >= four || b == four, a, b); });
    this->expect_part_by_part([=](const auto& a, const auto& b) { return select(a != four && !(b > four), a, b); });
    this->expect_part_by_part([=](const auto& a, const auto& b) { return select(a <= four, a, b); });
}

TYPED_TEST(BatchOfParts, a_sum_takes_every_part_once) {
    using Sum = BatchSum<TypeParam, parts>;
    const Sum one{all_lanes(TypeParam(1))};
    Vec3<Sum> sum{one, one, one};
    const auto value = this->several(1);
    sum += Vec3<Batch<TypeParam, parts>>{value, value, value};
    sum -= Vec3<Batch<TypeParam, parts>>{this->several(0), value, TypeParam(2)};
    EXPECT_TRUE(all_of(Batch<TypeParam>(sum.x.total) == TypeParam(1 + parts)));
    EXPECT_TRUE(all_of(Batch<TypeParam>(sum.y.total) == TypeParam(1)));
    const Batch<TypeParam> all = this->part(0, 1) + this->part(1, 1) + this->part(2, 1);
    EXPECT_TRUE(all_of(Batch<TypeParam>(sum.z.total) == TypeParam(1) + all - TypeParam(2 * parts)));
}

}  // namespace trellis::batch_test
