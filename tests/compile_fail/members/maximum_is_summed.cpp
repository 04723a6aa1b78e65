// The compiler says: in Maximum takes raise_to(value)
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Wrong {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration>;
    using Search = Cutoff;
    double cutoff;
    void operator()(const auto& i, const auto& j, auto& sum) const { sum[potential] += j[mass]; }
    using Maximum = Fields<Potential>;
};

const auto force = short_range_force(Wrong());
