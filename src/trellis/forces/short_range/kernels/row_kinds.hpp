// The kind of a j-particle in its row, of interactions that look up by kinds what does not depend on places.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace trellis {

struct RowKinds {
    std::size_t component = 0;  // of the row
    std::size_t kinds = 0;

    // The whole number that is in the row: -1 for kinds below 0, `kinds` for those that are not below it.
    double operator()(double kind) const {
        return std::max(-1.0, std::min(static_cast<double>(kinds), std::floor(kind)));
    }
};

}  // namespace trellis
