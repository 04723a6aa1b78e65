// The use of memories by a launch of a kernel, as its constants give it. Each kernel declares it where it is
// registered, so that a server refuses a launch that would read or write beyond the end of a memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace trellis {

// A size that no memory has: the constants of a launch are not allowed.
inline constexpr std::uint64_t no_size = std::numeric_limits<std::uint64_t>::max();

// a + b and a * b; no_size if that is too large.
constexpr std::uint64_t size_sum(std::uint64_t a, std::uint64_t b) { return b > no_size - a ? no_size : a + b; }
constexpr std::uint64_t size_product(std::uint64_t a, std::uint64_t b) {
    return a != 0 && b > no_size / a ? no_size : a * b;
}

// 1, for a kernel that is launched for one element alone.
constexpr std::uint64_t single(std::uint64_t elements) { return elements > 1 ? no_size : 1; }

// The elements of an array that a launch uses. optional: the array may be absent, as one without elements may.
struct ArraySize {
    std::uint64_t elements = 0;
    bool optional = false;

    constexpr ArraySize() = default;
    constexpr ArraySize(std::uint64_t count) : elements(count) {}  // NOLINT: an array that must be there is the rule
    static constexpr ArraySize if_present(std::uint64_t count) {
        ArraySize size(count);
        size.optional = true;
        return size;
    }
};

// The sizes of the arrays of a launch, in their order.
template <class... Sizes>
constexpr std::array<ArraySize, sizeof...(Sizes)> array_sizes(const Sizes&... sizes) {
    return {ArraySize(sizes)...};
}

// The bytes of a memory that a launch uses. optional: the memory may be absent.
struct MemoryUse {
    std::uint64_t bytes = 0;
    bool optional = false;
};

template <class T>
constexpr MemoryUse use_of(const ArraySize& size) {
    return {size_product(size.elements, sizeof(T)), size.optional};
}

// Writes the use of each memory by a launch with these constants, which have the size that the kernel takes.
using MemoryUses = void (*)(std::span<const std::byte> constants, std::span<MemoryUse> uses);

}  // namespace trellis
