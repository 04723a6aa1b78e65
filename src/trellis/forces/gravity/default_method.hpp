// The method of gravity if none is asked for.
#pragma once

#include "trellis/forces/tree/settings.hpp"

namespace trellis {

// Settings that choose expansions on devices as on the host: every device has their kernels for gravity.
inline ForceSettings with_default_method(ForceSettings settings) {
    if (settings.method == Method::automatic && settings.order != 1) settings.method = Method::fmm;
    return settings;
}

}  // namespace trellis
