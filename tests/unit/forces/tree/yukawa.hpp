// An interaction and a field as a user defines them.
#pragma once

#include <array>

#include "trellis/compile.hpp"

namespace trellis::yukawa {

using namespace fields;

struct Charge : Field<double, "charge", "e", "electric charge"> {};
inline constexpr Charge charge;

// Softened Yukawa force between charges.
struct Yukawa {
    using Target = Fields<Position, Charge, Mass>;
    using Source = Fields<Position, Charge>;
    using Result = Fields<Acceleration, Potential>;

    float epsilon2 = 1e-4f;
    float kappa = 0.5f;  // 1 / screening length

    void operator()(const auto& i, const auto& j, auto& sum) const {
        const auto d = j[position] - i[position];
        const auto R2 = dot(d, d) + epsilon2;
        const auto rinv = rsqrt(R2);
        const auto kR = kappa * (R2 * rinv);
        const auto phi = i[charge] / i[mass] * j[charge] * exp(-kR) * rinv;
        sum[potential] += phi;
        sum[acceleration] -= phi * (kR + 1.0f) * rinv * rinv * d;
    }
};

struct ExpandedYukawa : Yukawa {
    template <int N, class V>
    std::array<V, N> radial(const V& r2, const V& unit2) const {
        const V R2 = r2 + epsilon2, rinv = rsqrt(R2);
        const V kR = kappa * (R2 * rinv), ratio = unit2 * (rinv * rinv), kappa2 = kappa * kappa * unit2;
        std::array<V, N> g;
        g[0] = exp(-kR) * rinv;
        g[1] = -(g[0] * (kR + 1.0f) * ratio);
        for (int n = 1; n + 1 < N; ++n) g[n + 1] = ratio * (kappa2 * g[n - 1] - static_cast<float>(2 * n + 1) * g[n]);
        return g;
    }
    void far_field(const auto& i, const auto& phi, const auto& gradient, auto& sum) const {
        const auto q_m = i[charge] / i[mass];
        sum[potential] += q_m * phi;
        sum[acceleration] -= q_m * gradient;
    }
};

}  // namespace trellis::yukawa
