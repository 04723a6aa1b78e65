// Assignment of particles to mesh nodes by splines of order 2 (cloud in cell), 3 (triangular-shaped cloud) and 4
// (piecewise cubic), Hockney & Eastwood 1981, section 5-3. The same weights take the field back to the particle, so
// that a particle exerts no force on itself and momentum is conserved.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace trellis {

// The weights of the nodes first, ..., first + Order - 1 along one axis.
template <int Order, class T>
struct NodeWeights {
    int first;
    std::array<T, Order> weight;
};

// The weights for a position along one axis, in cells; their sum is 1.
template <int Order, class T>
NodeWeights<Order, T> node_weights(double position) {
    static_assert(Order >= 2 && Order <= 4);
    if constexpr (Order == 2) {
        const double floor = std::floor(position);
        const T d = static_cast<T>(position - floor);
        return {static_cast<int>(floor), {1 - d, d}};
    } else if constexpr (Order == 3) {
        const double nearest = std::floor(position + 0.5);
        const T d = static_cast<T>(position - nearest), half = static_cast<T>(0.5);
        return {static_cast<int>(nearest) - 1,
                {half * (half - d) * (half - d), static_cast<T>(0.75) - d * d, half * (half + d) * (half + d)}};
    } else {
        const double floor = std::floor(position);
        const T d = static_cast<T>(position - floor), e = 1 - d, sixth = static_cast<T>(1.0 / 6);
        return {static_cast<int>(floor) - 1,
                {e * e * e * sixth, (4 - 3 * d * d * (2 - d)) * sixth, (4 - 3 * e * e * (2 - e)) * sixth,
                 d * d * d * sixth}};
    }
}

// The Fourier transform of the weights: sinc(k h / 2)^order, for phase = k h.
inline double assignment_transform(int order, double phase) {
    const double half = phase / 2;
    return half == 0 ? 1 : std::pow(std::sin(half) / half, order);
}

// Calls body with the order, 2 to 4, as a constant of the compiler, and returns its result.
template <class Body>
auto with_order(int order, Body&& body) {
    switch (order) {
        case 2:
            return body(std::integral_constant<int, 2>{});
        case 3:
            return body(std::integral_constant<int, 3>{});
        default:
            return body(std::integral_constant<int, 4>{});
    }
}

}  // namespace trellis
