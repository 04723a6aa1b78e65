// Atomic functions of words that all elements of a grid kernel may change. The final word does not depend on their
// order.
#pragma once

#include <atomic>
#include <cstdint>

#include "trellis/base/gpu.hpp"
#include "trellis/base/vec.hpp"

namespace trellis {

// word = max(word, value)
TRELLIS_HOST_DEVICE inline void raise_to(std::uint32_t& word, std::uint32_t value) {
#if defined(TRELLIS_ON_GPU)
    atomicMax(&word, value);
#else
    const std::atomic_ref shared(word);
    std::uint32_t seen = shared.load(std::memory_order_relaxed);
    while (seen < value && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
#endif
}

// word += value
TRELLIS_HOST_DEVICE inline void add_to(std::uint64_t& word, std::uint64_t value) {
#if defined(TRELLIS_ON_GPU)
    static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
    atomicAdd(reinterpret_cast<unsigned long long*>(&word), static_cast<unsigned long long>(value));
#else
    std::atomic_ref(word).fetch_add(value, std::memory_order_relaxed);
#endif
}

// word += value; returns the previous word, which depends on the order.
TRELLIS_HOST_DEVICE inline std::uint64_t reserve(std::uint64_t& word, std::uint64_t value) {
#if defined(TRELLIS_ON_GPU)
    return atomicAdd(reinterpret_cast<unsigned long long*>(&word), static_cast<unsigned long long>(value));
#else
    return std::atomic_ref(word).fetch_add(value, std::memory_order_relaxed);
#endif
}

}  // namespace trellis
