// The compiler says: radial of an interaction is 'template <int N, class V> std::array<V, N> radial(
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Wrong {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration, Potential>;
    void operator()(const auto& i, const auto& j, auto& sum) const {
        sum[acceleration] += j[mass] * (j[position] - i[position]);
    }
    template <int N, class V>
    std::array<float, N> radial(const V& r2, const V& unit2) const {
        return {rsqrt(r2), unit2};
    }
    void far_field(const auto&, const auto&, const auto& gradient, auto& sum) const { sum[acceleration] -= gradient; }
};

const auto force = tree_force(Wrong());
