// The compiler says: an interaction's Softening must be a field of its Source and of its Target
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Wrong {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass, SofteningLength>;
    using Result = Fields<Acceleration>;
    using Softening = SofteningLength;
    void operator()(const auto& i, const auto& j, auto& sum) const {
        sum[acceleration] += j[mass] * (j[position] - i[position]);
    }
};

const auto force = tree_force(Wrong());
