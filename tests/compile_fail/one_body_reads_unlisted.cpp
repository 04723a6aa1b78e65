// The compiler says: an interaction uses a field that it does not list
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Wrong {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration>;
    void operator()(const auto& i, auto& sum) const { sum[acceleration] -= i[velocity]; }
};

const auto force = external_force(Wrong());
