// The Lennard-Jones force between atoms of several kinds, each pair of kinds with its own depth, size and cutoff.
#pragma once

#include "trellis/forces/molecules/truncation.hpp"
#include "trellis/forces/short_range/kernels/kind_table.hpp"

namespace trellis {

// Parameters of a pair of kinds.
struct SquaredSigma : Field<double, "squared_sigma", "length^2", "square of sigma of a pair of kinds"> {};
struct RelativeEpsilon : Field<double, "relative_epsilon", "", "epsilon of a pair of kinds over the largest"> {};
struct LineConstant : Field<double, "line_constant", "", "constant of the line of a pair of kinds: see reduced_pair"> {
};
struct LineSlope : Field<double, "line_slope", "1 / length", "slope of the line of a pair of kinds: see reduced_pair"> {
};
namespace fields {
inline constexpr SquaredSigma squared_sigma;
inline constexpr RelativeEpsilon relative_epsilon;
inline constexpr LineConstant line_constant;
inline constexpr LineSlope line_slope;
}  // namespace fields

// The parameters that a potential with this end has for each pair of kinds.
template <Truncation truncation>
struct ParametersOfKinds {
    using type = Fields<SquaredSigma, RelativeEpsilon, LineConstant, LineSlope>;
};
template <>
struct ParametersOfKinds<Truncation::plain> {
    using type = Fields<SquaredSigma, RelativeEpsilon>;
};
template <>
struct ParametersOfKinds<Truncation::energy_shifted> {
    using type = Fields<SquaredSigma, RelativeEpsilon, LineConstant>;
};

// Results as of LennardJones.
template <Truncation truncation>
struct LennardJonesMixture {
    using Target = Fields<Position, Mass, ParticleKind>;
    using Source = Fields<Position, ParticleKind>;
    using Result = Fields<Acceleration, Potential, Virial>;
    using Search = Cutoff;
    using OfKinds = typename ParametersOfKinds<truncation>::type;

    double cutoff, epsilon;              // the largest of all pairs of kinds
    Constant cutoff_in_sigma2, cutoff2;  // the square of a pair's cutoff is cutoff_in_sigma2 sigma^2 + cutoff2
    KindTable kinds;

    TRELLIS_INLINE auto reach_squared(const auto& of_kinds) const {
        return of_kinds[fields::squared_sigma] * cutoff_in_sigma2 + cutoff2;
    }

    TRELLIS_HOST_DEVICE void operator()(const auto& i, const auto& j, const auto& of_kinds, auto& sum) const {
        using namespace fields;
        const auto d = j[position] - i[position];
        const auto r2 = dot(d, d);  // as in the comparison with the cutoff, so that it is computed once
        const auto inverse = 1.0f / r2;
        const auto pair = reduced_pair(truncation, r2, inverse * of_kinds[squared_sigma], of_kinds[relative_epsilon],
                                       constant_of(of_kinds), slope_of(of_kinds));
        sum[potential] += pair.energy;
        sum[virial] += pair.outward;
        sum[acceleration] -= (pair.outward * inverse) * d;
    }

    TRELLIS_HOST_DEVICE void finish(const auto& i, auto& sum) const {
        using namespace fields;
        sum[potential] *= 4 * epsilon / i[mass];
        sum[virial] *= 24 * epsilon;
        sum[acceleration] *= 24 * epsilon / i[mass];
    }

  private:
    TRELLIS_INLINE static auto constant_of(const auto& of_kinds) {
        if constexpr (truncation == Truncation::plain)
            return NoConstant{};
        else
            return of_kinds[fields::line_constant];
    }
    TRELLIS_INLINE static auto slope_of(const auto& of_kinds) {
        if constexpr (truncation == Truncation::plain || truncation == Truncation::energy_shifted)
            return Constant{};
        else
            return of_kinds[fields::line_slope];
    }
};

}  // namespace trellis
