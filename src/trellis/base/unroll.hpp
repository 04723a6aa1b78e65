// Loops whose counter is a constant of the compiler.
#pragma once

#include <utility>

#include "trellis/base/isa.hpp"
#include "trellis/base/vec.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Calls body with the constants 0, 1, ..., Count - 1.
template <int Count, class Body>
TRELLIS_INLINE void unroll(Body&& body) {
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
        (body(std::integral_constant<int, K>{}), ...);
    }(std::make_integer_sequence<int, Count>{});
}

TRELLIS_ISA_END
}  // namespace trellis
