// The compiler says: an interaction's Strength must be a field of its Source
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Reach : Field<double, "reach", "length", "radius of search"> {};

struct Wrong {
    using Target = Fields<Position, Reach>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration>;
    void operator()(const auto& i, const auto& j, auto& sum) const {
        sum[acceleration] += j[mass] * (j[position] - i[position]);
    }
    using Strength = Reach;
};

const auto force = tree_force(Wrong());
