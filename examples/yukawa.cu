// The kernels of Yukawa for GPUs: known, before main begins, to every program that this source is linked into.
#include "yukawa.hpp"

#include <trellis/forces/tree/device/pairs.cuh>

static const bool registered = (trellis::register_pairs<Yukawa>(), true);
