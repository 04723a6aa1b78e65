#include "trellis/packing/packed_integers.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace trellis {

namespace {

constexpr std::size_t block = 16;
constexpr unsigned word_bits = 64;
using Words = std::array<std::uint64_t, block + 1>;  // one more than the widest integers need

// 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
std::uint64_t folded(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unfolded(std::uint64_t bits) { return static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1)); }

std::size_t bytes_of(std::size_t count, unsigned width) { return (count * width + 7) / 8; }

}  // namespace

void pack(std::span<const std::int64_t> values, ByteWriter& out) {
    for (std::size_t begin = 0; begin < values.size(); begin += block) {
        const auto some = values.subspan(begin, std::min(block, values.size() - begin));
        std::uint64_t any = 0;
        for (const std::int64_t value : some) any |= folded(value);
        const auto width = static_cast<unsigned>(std::bit_width(any));
        out.put(static_cast<std::uint8_t>(width));
        if (width == 0) continue;
        Words words;  // only words written below are read
        std::size_t whole = 0;
        unsigned filled = 0;  // bits of word
        std::uint64_t word = 0;
        for (const std::int64_t value : some) {
            const std::uint64_t bits = folded(value);
            word |= bits << filled;
            filled += width;
            if (filled < word_bits) continue;
            words[whole++] = word;
            filled -= word_bits;
            word = filled == 0 ? 0 : bits >> (width - filled);
        }
        words[whole] = word;
        out.put(std::as_bytes(std::span(words)).first(bytes_of(some.size(), width)));
    }
}

void unpack(ByteReader& in, std::span<std::int64_t> values) {
    for (std::size_t begin = 0; begin < values.size(); begin += block) {
        const auto some = values.subspan(begin, std::min(block, values.size() - begin));
        const unsigned width = in.get<std::uint8_t>();
        if (width > word_bits)
            throw RunError("a message from another rank has integers of " + std::to_string(width) +
                           " bits: 64 is the most");
        Words words{};
        in.get(std::as_writable_bytes(std::span(words)).first(bytes_of(some.size(), width)));
        const std::uint64_t mask = width == word_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
        for (std::size_t k = 0; k < some.size(); ++k) {
            const std::size_t word = k * width / word_bits;
            const unsigned shift = k * width % word_bits;
            std::uint64_t bits = words[word] >> shift;
            if (shift > 0) bits |= words[word + 1] << (word_bits - shift);
            some[k] = unfolded(bits & mask);
        }
    }
}

}  // namespace trellis
