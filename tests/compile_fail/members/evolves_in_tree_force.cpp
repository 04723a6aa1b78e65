// The compiler says: are for interactions of short range: tree_force knows Result alone
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
    using Evolves = Rates<Velocity, Acceleration>;
};

const auto force = tree_force(Wrong());
