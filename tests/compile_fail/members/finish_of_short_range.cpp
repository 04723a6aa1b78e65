// The compiler says: finish of an interaction of long range is 'void finish(auto& sum) const'
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
    void finish(const auto& i, auto& sum) const { sum[acceleration] /= i[position].x; }
};

const auto force = tree_force(Wrong());
