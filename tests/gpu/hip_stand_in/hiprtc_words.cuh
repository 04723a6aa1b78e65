// Words that AMD's compiler knows by itself: CUDA's, and mathematical functions without the namespace std.
#include "trellis/devices/gpu/clang_stand_in.cuh"

using std::exp, std::log, std::sin, std::cos, std::sqrt;

#ifndef __AMDGCN__
// 1 / sqrt(x) of float in texts.
#define __builtin_amdgcn_rsqf(x) __spirv_ocl_rsqrt(x)
#endif
