// The compiler says: at of a one-body force F is 'F at(double time) const'
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Wrong {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration>;
    void operator()(const auto& i, auto& sum) const { sum[acceleration] -= strength * i[position]; }
    Wrong at(double time) { return {time}; }
    double strength;
};

const auto force = external_force(Wrong());
