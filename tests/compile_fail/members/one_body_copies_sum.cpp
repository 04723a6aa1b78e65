// The compiler says: write 'auto& sum' for 'auto
#include "trellis/compile.hpp"

using namespace trellis;
using namespace trellis::fields;

struct Wrong {
    using Target = Fields<Position>;
    using Result = Fields<Acceleration>;
    void operator()(const auto& i, auto sum) const { sum[acceleration] -= i[position]; }
};

const auto force = external_force(Wrong());
