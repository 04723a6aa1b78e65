// The compiler says: finish of an interaction of short range is 'void finish(const auto& i, auto& sum) const'
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Wrong {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration, Potential>;
    using Search = Cutoff;
    double cutoff;
    void operator()(const auto& i, const auto& j, auto& sum) const {
        sum[acceleration] += j[mass] * (j[position] - i[position]);
    }
    void finish(auto& sum) const { sum[acceleration] *= 2; }
};

const auto force = short_range_force(Wrong());
