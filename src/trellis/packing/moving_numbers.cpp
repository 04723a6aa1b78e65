#include "trellis/packing/moving_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "trellis/packing/packed_integers.hpp"

namespace trellis {

namespace {

constexpr std::size_t block_size = 16;  // numbers with one power of two of which all are multiples

// The bits of a number as an integer that rises with the number; the function is its own inverse.
std::uint64_t ordered(std::uint64_t bits) { return bits ^ ((std::uint64_t{0} - (bits >> 63)) >> 1); }
std::uint32_t ordered(std::uint32_t bits) { return bits ^ ((std::uint32_t{0} - (bits >> 31)) >> 1); }

template <class T>
T value_at(std::span<const std::byte> bytes, std::size_t number) {
    T value;
    std::memcpy(&value, bytes.data() + number * sizeof(T), sizeof(T));
    return value;
}
template <class T>
void put_at(std::span<std::byte> bytes, std::size_t number, T value) {
    std::memcpy(bytes.data() + number * sizeof(T), &value, sizeof(T));
}

// One value of each record.
template <class Word>
struct Values {
    using Integer = Word;
    std::size_t first, stride;

    Word get(std::span<const std::byte> bytes, std::size_t k) const {
        return ordered(value_at<Word>(bytes, first + k * stride));
    }
    void put(std::span<std::byte> bytes, std::size_t k, Word integer) const {
        put_at(bytes, first + k * stride, ordered(integer));
    }
};

// One double of each record, stored as two floats, a rounded number and a remainder: their sum, which is exact for
// every pair that was made from a double.
struct SplitValues {
    using Integer = std::uint64_t;
    std::size_t first, stride, split;

    std::uint64_t get(std::span<const std::byte> bytes, std::size_t k) const {
        const std::size_t at = first + k * stride;
        return ordered(std::bit_cast<std::uint64_t>(static_cast<double>(value_at<float>(bytes, at)) +
                                                    static_cast<double>(value_at<float>(bytes, at + split))));
    }
    void put(std::span<std::byte> bytes, std::size_t k, std::uint64_t integer) const {
        const auto value = std::bit_cast<double>(ordered(integer));
        const auto rounded = static_cast<float>(value);
        put_at(bytes, first + k * stride, rounded);
        put_at(bytes, first + k * stride + split, static_cast<float>(value - static_cast<double>(rounded)));
    }
    // False if put would write other bits: a remainder of exactly half a digit may have been rounded up or down.
    bool exact(std::span<const std::byte> bytes, std::size_t records) const {
        std::uint32_t other = 0;
        for (std::size_t k = 0; k < records; ++k) {
            const std::size_t at = first + k * stride;
            const auto stored = value_at<float>(bytes, at), rest = value_at<float>(bytes, at + split);
            const double value = static_cast<double>(stored) + static_cast<double>(rest);
            const auto rounded = static_cast<float>(value);
            other |= std::bit_cast<std::uint32_t>(stored) ^ std::bit_cast<std::uint32_t>(rounded);
            other |= std::bit_cast<std::uint32_t>(rest) ^
                     std::bit_cast<std::uint32_t>(static_cast<float>(value - static_cast<double>(rounded)));
        }
        return other == 0;
    }
};

// The next number on the straight line through the former ones.
template <class V>
typename V::Integer expected(const V& values, const FormerNumbers& former, std::size_t k) {
    const auto last = values.get(former.last, k);
    if (former.before.empty()) return last;
    return static_cast<typename V::Integer>(last + (last - values.get(former.before, k)));
}

void pack_blocks(std::vector<std::int64_t>& values, ByteWriter& out) {
    std::vector<std::int64_t> shifts;
    for (std::size_t begin = 0; begin < values.size(); begin += block_size) {
        const auto some = std::span(values).subspan(begin, std::min(block_size, values.size() - begin));
        std::uint64_t any = 0;
        for (const std::int64_t value : some) any |= static_cast<std::uint64_t>(value);
        const int shift = any == 0 ? 0 : std::countr_zero(any);
        for (std::int64_t& value : some) value >>= shift;
        shifts.push_back(shift);
    }
    pack(shifts, out);
    pack(values, out);
}

void unpack_blocks(ByteReader& in, std::vector<std::int64_t>& values) {
    std::vector<std::int64_t> shifts((values.size() + block_size - 1) / block_size);
    unpack(in, shifts);
    unpack(in, values);
    for (std::size_t k = 0; k < values.size(); ++k) {
        const std::int64_t shift = shifts[k / block_size];
        if (shift < 0 || shift > 63)
            throw RunError("packed numbers are multiples of 2^" + std::to_string(shift) +
                           ": allowed are the exponents 0 to 63");
        values[k] = static_cast<std::int64_t>(static_cast<std::uint64_t>(values[k]) << shift);
    }
}

// Calls take with the values of each number of a record. joined: split doubles are taken as one value.
template <class Take>
void each_number(const NumberRecords& records, bool joined, const Take& take) {
    const std::size_t stride = records.values, split = joined ? records.split : 0;
    for (std::size_t c = 0; c < split; ++c) take(SplitValues{c, stride, split});
    for (std::size_t c = 2 * split; c < stride; ++c) {
        if (records.value_bytes == 4)
            take(Values<std::uint32_t>{c, stride});
        else
            take(Values<std::uint64_t>{c, stride});
    }
}

}  // namespace

void pack_moving(const NumberRecords& records, std::span<const std::byte> now, const FormerNumbers& former,
                 ByteWriter& out) {
    const std::size_t count = now.size() / records.bytes();
    bool joined = true;
    for (std::size_t c = 0; c < records.split; ++c)
        joined = joined && SplitValues{c, records.values, records.split}.exact(now, count);
    out.put(static_cast<std::uint8_t>(joined));
    std::vector<std::int64_t> differences(count);
    each_number(records, joined, [&](const auto& values) {
        using Integer = typename std::remove_cvref_t<decltype(values)>::Integer;
        for (std::size_t k = 0; k < count; ++k)
            differences[k] = static_cast<std::make_signed_t<Integer>>(
                static_cast<Integer>(values.get(now, k) - expected(values, former, k)));
        pack_blocks(differences, out);
    });
}

void unpack_moving(ByteReader& in, const NumberRecords& records, const FormerNumbers& former,
                   std::span<std::byte> now) {
    std::vector<std::int64_t> differences(now.size() / records.bytes());
    each_number(records, in.get<std::uint8_t>() != 0, [&](const auto& values) {
        using Integer = typename std::remove_cvref_t<decltype(values)>::Integer;
        unpack_blocks(in, differences);
        for (std::size_t k = 0; k < differences.size(); ++k)
            values.put(now, k,
                       static_cast<Integer>(expected(values, former, k) + static_cast<Integer>(differences[k])));
    });
}

}  // namespace trellis
