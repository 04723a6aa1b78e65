// An interaction that is compiled at run time (forces/run_time), as systems store it.
#pragma once

#include "trellis/forces/run_time/run_time_pair.hpp"

namespace trellis {

struct RunTimeSystem {
    const RunTimePair* pair;
    double cutoff;  // infinite without one
};

}  // namespace trellis
