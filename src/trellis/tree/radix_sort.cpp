#include "trellis/tree/radix_sort.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "trellis/base/parallel.hpp"

namespace trellis {

namespace {

constexpr int top_shift = SortSpace::top_shift;
constexpr std::size_t top_buckets = SortSpace::top_buckets;

constexpr int bucket_bits = 8;
constexpr std::size_t insertion_limit = 32;
constexpr std::size_t alone = 2048;  // pairs that are fewer than buckets are sorted by one thread

void insertion_sort(KeyIndex* pairs, std::size_t count) {
    for (std::size_t k = 1; k < count; ++k) {
        const KeyIndex moving = pairs[k];
        std::size_t slot = k;
        for (; slot > 0 && pairs[slot - 1].key > moving.key; --slot) pairs[slot] = pairs[slot - 1];
        pairs[slot] = moving;
    }
}

// Sorts by the key bits below shift. scratch has room for `count` pairs.
void sort_bucket(KeyIndex* pairs, KeyIndex* scratch, std::size_t count, int shift) {
    if (shift <= 0) return;
    if (count <= insertion_limit) return insertion_sort(pairs, count);
    const int bits = std::min(bucket_bits, shift);
    const int low = shift - bits;
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    std::array<std::uint32_t, (1 << bucket_bits) + 1> begin{};
    for (std::size_t k = 0; k < count; ++k) ++begin[(pairs[k].key >> low & mask) + 1];
    for (std::size_t d = 0; d <= mask; ++d) begin[d + 1] += begin[d];
    auto next = begin;
    for (std::size_t k = 0; k < count; ++k) scratch[next[pairs[k].key >> low & mask]++] = pairs[k];
    std::copy_n(scratch, count, pairs);
    for (std::size_t d = 0; d <= mask; ++d) {
        const std::size_t size = begin[d + 1] - begin[d];
        if (size > 1) sort_bucket(pairs + begin[d], scratch + begin[d], size, low);
    }
}

}  // namespace

void radix_sort(std::span<KeyIndex> pairs, std::span<KeyIndex> sorted, SortSpace& space) {
    const std::size_t count = pairs.size();
    if (count <= alone) {
        std::ranges::copy(pairs, sorted.begin());
        return sort_bucket(sorted.data(), pairs.data(), count, key_bits);
    }
    auto& next = space.next;
    // Each stretch of the input counts its digits; the running sum over (digit, stretch) is the slot where it writes.
    const auto stretches = static_cast<std::size_t>(thread_count());
    const auto stretch_begin = [&](std::size_t s) { return count * s / stretches; };
    next.resize(stretches);
    parallel_tasks(stretches, [&](std::size_t s, int) {
        next[s].fill(0);
        for (std::size_t k = stretch_begin(s); k < stretch_begin(s + 1); ++k) ++next[s][pairs[k].key >> top_shift];
    });
    std::array<std::uint32_t, top_buckets + 1> begin{};
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < top_buckets; ++d) {
        begin[d] = sum;
        for (auto& digits : next) sum += std::exchange(digits[d], sum);
    }
    begin[top_buckets] = sum;
    parallel_tasks(stretches, [&](std::size_t s, int) {
        for (std::size_t k = stretch_begin(s); k < stretch_begin(s + 1); ++k)
            sorted[next[s][pairs[k].key >> top_shift]++] = pairs[k];
    });
    parallel_tasks(top_buckets, [&](std::size_t d, int) {
        sort_bucket(sorted.data() + begin[d], pairs.data() + begin[d], begin[d + 1] - begin[d], top_shift);
    });
}

}  // namespace trellis
