#include "trellis/lists/neighbours/search/displacement_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace trellis {
TRELLIS_ISA_BEGIN

Displacements displacements_of(const Vec3<double>* now, const std::uint32_t* rows, const Vec3<double>* then,
                               std::uint32_t count) {
    using Four [[gnu::vector_size(4 * sizeof(double))]] = double;  // x, y, z and 0
    Four moved[most_displacements];
    for (std::uint32_t k = 0; k < count; ++k) {
        const Vec3<double>&to = now[rows[k]], &from = then[k];
        moved[k] = Four{to.x, to.y, to.z, 0} - Four{from.x, from.y, from.z, 0};
    }
    Four low = moved[0], high = low;
    for (std::uint32_t k = 1; k < count; ++k) {
        low = moved[k] < low ? moved[k] : low;
        high = high < moved[k] ? moved[k] : high;
    }
    const Four centre = 0.5 * (low + high);
    double radius2 = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
        const Four away = moved[k] - centre, squares = away * away;
        radius2 = std::max(radius2, squares[0] + squares[1] + squares[2]);
    }
    return {{centre[0], centre[1], centre[2]}, std::sqrt(radius2)};
}

TRELLIS_ISA_END
}  // namespace trellis
