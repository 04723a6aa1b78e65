// The compiler says: Position must be the first field of an interaction's Target
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Reach : Field<double, "reach", "length", "radius of search"> {};

struct Wrong {
    using Target = Fields<Reach>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration>;
    void operator()(const auto& i, const auto& j, auto& sum) const {
        sum[acceleration] += j[mass] * (j[position] - i[position]);
    }
};

const auto force = tree_force(Wrong());
