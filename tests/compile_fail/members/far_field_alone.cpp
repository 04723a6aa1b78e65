// The compiler says: an interaction with far_field lacks radial
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
    void far_field(const auto&, const auto&, const auto& gradient, auto& sum) const { sum[acceleration] -= gradient; }
};

const auto force = tree_force(Wrong());
