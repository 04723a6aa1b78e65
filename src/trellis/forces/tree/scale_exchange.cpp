#include "trellis/forces/tree/scale_exchange.hpp"

#include <cmath>

namespace trellis {

PartOfScale join_parts(const PartOfScale& a, const PartOfScale& b) {
    PartOfScale both = a.any ? a : b;
    if (a.any && b.any) {
        both.extent = join(a.extent, b.extent);
        both.weight = a.weight + b.weight;
    }
    both.squares = a.squares + b.squares;
    both.errors = a.errors + b.errors;
    return both;
}

PartOfScale part_of_scale(const ListedTree& listed, std::span<const double> tolerance) {
    PartOfScale own;
    if (listed.columns().size() > 0) {
        own.extent = listed.moments().bounds()[0];
        own.weight = listed.moments().weights()[0];
        own.any = true;
    }
    own.errors = static_cast<double>(tolerance.size());
    for (const double error : tolerance) own.squares += error * error;
    return own;
}

Scale scale_of(const PartOfScale& all) {
    Scale scale;
    if (all.any) {
        scale.side = largest(all.extent.high - all.extent.low);
        scale.weight = all.weight;
    }
    if (all.errors > 0) scale.tolerance = std::sqrt(all.squares / all.errors);
    return scale;
}

}  // namespace trellis
