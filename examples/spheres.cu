// The kernels of Spheres for GPUs: known, before main begins, to every program that this source is linked into.
#include "spheres.hpp"

#include <trellis/forces/short_range/kernels/neighbours.cuh>

static const bool registered = (trellis::register_neighbours<Spheres>(), true);
