// The compiler says: an interaction branches on a value
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Reach : Field<double, "reach", "length", "radius of search"> {};

struct Wrong {
    using Target = Fields<Position, Reach>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration>;
    void operator()(const auto& i, const auto& j, auto& sum) const {
        if (j[mass] < 1.0f) sum[acceleration] += j[mass] * (j[position] - i[position]);
    }
};

const auto force = tree_force(Wrong());
