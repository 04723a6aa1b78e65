// The compiler says: write sqrt(x) in place of std::sqrt(x)
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Wrong {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration, Potential>;
    void operator()(const auto& i, const auto& j, auto& sum) const {
        const auto d = j[position] - i[position];
        sum[potential] -= j[mass] / std::sqrt(dot(d, d));
    }
};

const auto force = tree_force(Wrong());
