// The compiler says: or max(a, b)
#include <algorithm>

#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Wrong {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration, Potential>;
    void operator()(const auto& i, const auto& j, auto& sum) const {
        sum[potential] -= std::max(j[mass], j[position].x);
    }
};

const auto force = tree_force(Wrong());
