// Settings of particles that stay on a device, with lists that reusing steps have, too.
#pragma once

#include "trellis/forces/tree/settings.hpp"

namespace trellis {

// theta: 0 for the relative criterion.
inline ForceSettings reused_lists(double theta = 0.6) {
    return {.theta = theta,
            .method = Method::tree,
            .order = 1,
            .group_size = 50,
            .leaf_size = 8,
            .lists = Lists::reuse,
            .reuse_steps = 3};
}

// The same with local expansions, by the relative criterion.
inline ForceSettings reused_expansions() {
    ForceSettings settings = reused_lists(0);
    settings.method = Method::fmm;
    settings.order = 3;
    return settings;
}

}  // namespace trellis
