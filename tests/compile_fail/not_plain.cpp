// The compiler says: its members are plain numbers
#include <vector>

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
    std::vector<double> table;
};

const auto force = tree_force(Wrong());
