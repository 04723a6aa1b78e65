// A short-range interaction that is not part of Trellis: one text, for the processor (spheres.cpp) and for GPUs
// (spheres.cu).
#pragma once

#include <trellis/base/math.hpp>
#include <trellis/forces/short_range.hpp>

// Soft spheres: phi = stiffness (1 - r / cutoff)^2 / 2 within the cutoff.
struct Spheres {
    using Target = trellis::Fields<trellis::Position>;                          // fields of an i-particle
    using Source = trellis::Fields<trellis::Position>;                          // fields of a j-particle
    using Result = trellis::Fields<trellis::Acceleration, trellis::Potential>;  // fields that are summed
    using Search = trellis::Cutoff;                                             // search radius: the cutoff

    double cutoff;
    float stiffness, per_cutoff;

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, auto& sum) const {
        using namespace trellis;
        using namespace trellis::fields;
        const auto d = j[position] - i[position];
        const auto r_inverse = rsqrt(dot(d, d));
        const auto overlap = 1.0f - dot(d, d) * r_inverse * per_cutoff;
        sum[potential] += 0.5f * stiffness * overlap * overlap;
        sum[acceleration] -= stiffness * per_cutoff * overlap * r_inverse * d;
    }
};
