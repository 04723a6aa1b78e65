// Every smoothing kernel in every number of dimensions, for tests of a kernel's type.
#pragma once

#include <gtest/gtest.h>

#include "trellis/forces/sph/kernels/smoothing_kernel.hpp"

namespace trellis {

using AllKernels = testing::Types<CubicSpline<1>, CubicSpline<2>, CubicSpline<3>, WendlandC2<1>, WendlandC2<2>,
                                  WendlandC2<3>, WendlandC4<1>, WendlandC4<2>, WendlandC4<3>>;

}  // namespace trellis
