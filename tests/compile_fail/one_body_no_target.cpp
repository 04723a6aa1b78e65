// The compiler says: a one-body force lacks Target
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Wrong {
    using Result = Fields<Acceleration>;
    void operator()(const auto& i, auto& sum) const { sum[acceleration] -= i[position]; }
};

const auto force = external_force(Wrong());
