// Loops over pairs in one precision, with particles as columns: j across the lanes of a vector, i one after the other.
#pragma once

#include <cstddef>

namespace trellis {

template <class R>
struct ColumnLoops {
    // Adds the effect of `sources` j-particles on `targets` i-particles: component c of i-particle i is
    // target[c * target_stride + i], of j-particle j source[c * source_stride + j], whole vectors of which may be read;
    // sums[(i * components + c) * lanes] is the first lane of a component of the result.
    void (*add_pairs)(const void* context, const R* target, std::size_t target_stride, std::size_t targets,
                      const R* source, std::size_t source_stride, std::size_t sources, R* sums) = nullptr;
    // The same where j-particle j is i-particle first + j: each interacts with all but itself.
    void (*add_own)(const void* context, const R* target, std::size_t target_stride, std::size_t targets,
                    const R* source, std::size_t source_stride, std::size_t sources, R* sums,
                    std::size_t first) = nullptr;
};

}  // namespace trellis
