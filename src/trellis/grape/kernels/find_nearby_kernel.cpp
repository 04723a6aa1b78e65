#include "trellis/base/batch.hpp"
#include "trellis/grape/kernels/cpu_kernels.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

std::size_t find_nearby(const NearbySearch& search, std::uint32_t* found) {
    using V = Batch<double>;
    static_assert(nearby_padding % lanes<double> == 0);
    const V radius2 = search.radius * search.radius;
    std::uint32_t* next = found;
    for (std::size_t k = 0; k < search.count; k += lanes<double>) {
        const auto from = [&](const double* column, double at) { return V(load_unaligned(column + k)) - at; };
        const V dx = from(search.x, search.at.x), dy = from(search.y, search.at.y), dz = from(search.z, search.at.z);
        const unsigned long near = bits_of(dx * dx + dy * dy + dz * dz < radius2);
        if (near == 0) continue;
        std::uint32_t numbers[lanes<double>];
        for (std::size_t lane = 0; lane < lanes<double>; ++lane)
            numbers[lane] = search.first + static_cast<std::uint32_t>(k + lane);
        next += compress(near, numbers, next);
    }
    return static_cast<std::size_t>(next - found);
}

TRELLIS_ISA_END
}  // namespace trellis
