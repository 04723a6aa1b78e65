#include "trellis/packing/moving_numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "unit/error_message.hpp"

namespace trellis::moving_numbers_test {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

// The numbers read from packed ones, and the packed size.
std::size_t packed_bytes(const NumberRecords& records, const Bytes& now, const FormerNumbers& former) {
    ByteWriter out;
    pack_moving(records, now, former, out);
    const Bytes packed = out.take();
    ByteReader in(packed);
    Bytes read(now.size(), std::byte{0x77});
    unpack_moving(in, records, former, read);
    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(read, now);
    return packed.size();
}

// Records of a position as three rounded values and their remainders, a mass and a zero; the positions of successive
// steps lie on a parabola. multiple: positions are multiples of it; 0: any positions.
Bytes rows_at(double time, double multiple) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> between(0.1, 10);
    std::vector<float> rows;
    for (int k = 0; k < 1000; ++k) {
        double at[3];
        for (double& x : at) {
            x = between(random) + time * (between(random) - 5 + time * between(random));
            if (multiple > 0) x = std::round(x / multiple) * multiple;
        }
        for (const double x : at) rows.push_back(static_cast<float>(x));
        for (const double x : at) rows.push_back(static_cast<float>(x - static_cast<double>(static_cast<float>(x))));
        rows.push_back(static_cast<float>(between(random)));
        rows.push_back(0);
    }
    return bytes_of(rows);
}

constexpr NumberRecords rows{4, 8, 3};

TEST(MovingNumbers, are_read_unchanged_in_fewer_bytes_with_more_former_copies) {
    constexpr double step = 1e-4;
    const Bytes a = rows_at(0, 0), b = rows_at(step, 0), c = rows_at(2 * step, 0);
    const double once = static_cast<double>(packed_bytes(rows, b, {a, {}})) / 1000;
    const double twice = static_cast<double>(packed_bytes(rows, c, {b, a})) / 1000;
    EXPECT_LT(once, 16.5);
    EXPECT_LT(twice, 12.5);
    EXPECT_LT(packed_bytes(rows, c, {c, c}), 1000U);
}

TEST(MovingNumbers, that_are_multiples_take_fewer_bytes) {
    constexpr double step = 1e-4, multiple = 0x1p-20;
    const Bytes a = rows_at(0, multiple), b = rows_at(step, multiple), c = rows_at(2 * step, multiple);
    EXPECT_LT(packed_bytes(rows, b, {a, {}}), 5700U);
    EXPECT_LT(packed_bytes(rows, c, {b, a}), 2500U);
}

TEST(MovingNumbers, of_any_bits_are_read_unchanged) {
    std::mt19937_64 random(2);
    const auto drawn = [&] {
        std::vector<std::uint64_t> words(210);
        for (auto& word : words) word = random();
        return bytes_of(words);
    };
    for (const NumberRecords& records :
         {rows, NumberRecords{4, 5, 0}, NumberRecords{8, 3, 0}, NumberRecords{4, 2, 1}}) {
        Bytes now = drawn(), last = drawn(), before = drawn();
        for (Bytes* each : {&now, &last, &before}) each->resize(each->size() / records.bytes() * records.bytes());
        packed_bytes(records, now, {last, before});
    }
    const double tiny = std::numeric_limits<double>::denorm_min(), infinite = std::numeric_limits<double>::infinity();
    packed_bytes({8, 1, 0}, bytes_of<double>({0.0, -0.0, tiny, -tiny, infinite, -infinite}),
                 {bytes_of<double>({-0.0, 0.0, -infinite, infinite, tiny, -1e300}),
                  bytes_of<double>({1, -1, infinite, -infinite, -tiny, 1e300})});
    packed_bytes(rows, {}, {});
}

// 1 + 2^-24 is half way between two floats: it may be stored as 1 and a positive remainder, or as the next float and a
// negative one.
TEST(MovingNumbers, split_either_way_are_read_unchanged) {
    const float half = 0x1p-24F, next = 1 + 0x1p-23F;
    for (const std::vector<float>& pair : {std::vector<float>{1, half}, std::vector<float>{next, -half}})
        packed_bytes({4, 2, 1}, bytes_of(pair), {bytes_of<float>({1, 0}), {}});
}

TEST(MovingNumbers, that_were_not_packed_are_refused) {
    const Bytes last = bytes_of<float>({1, 2});
    Bytes read(last.size());
    const auto message = [&](const Bytes& packed) {
        ByteReader in(packed);
        return message_of<RunError>([&] { unpack_moving(in, {4, 1, 0}, {last, {}}, read); });
    };
    EXPECT_EQ(message({std::byte{1}}), "a message is too short");
    ByteWriter out;
    out.put(std::uint8_t{1});
    out.put(std::uint8_t{8});
    out.put(std::uint8_t{128});  // a shift of 64
    out.put(std::uint8_t{0});
    EXPECT_EQ(message(out.take()), "packed numbers are multiples of 2^64: allowed are the exponents 0 to 63");
    EXPECT_FALSE((NumberRecords{2, 8, 0}.valid() || NumberRecords{4, 8, 5}.valid() || NumberRecords{8, 8, 3}.valid() ||
                  NumberRecords{4, 0, 0}.valid()));
}

}  // namespace trellis::moving_numbers_test
