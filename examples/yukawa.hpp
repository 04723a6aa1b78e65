// An interaction and a field that are not part of Trellis: one text, for the processor (yukawa.cpp) and for GPUs
// (yukawa.cu).
#pragma once

#include <trellis/base/math.hpp>
#include <trellis/forces/interaction.hpp>

struct Charge : trellis::Field<double, "charge", "e", "electric charge"> {};
inline constexpr Charge charge;

// Softened Yukawa force: phi = q exp(-R / screening length) / R, R^2 = r^2 + epsilon^2.
struct Yukawa {
    using Target = trellis::Fields<trellis::Position, Charge, trellis::Mass>;  // fields of an i-particle
    using Source = trellis::Fields<trellis::Position, Charge>;                 // fields of a j-particle
    // Fields that are summed; the potential is energy per mass.
    using Result = trellis::Fields<trellis::Acceleration, trellis::Potential>;

    float epsilon2, per_length;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace trellis;
        using namespace trellis::fields;
        const auto d = j[position] - i[position];
        const auto R2 = dot(d, d) + epsilon2;
        const auto rinv = rsqrt(R2);
        const auto screening = per_length * (R2 * rinv);
        const auto energy = i[charge] / i[mass] * j[charge] * exp(-screening) * rinv;
        sum[potential] += energy;
        sum[acceleration] -= energy * (screening + 1.0f) * rinv * rinv * d;
    }
};
