// The field of individual time steps (integrate/rungs).
#pragma once

#include "trellis/particles/field.hpp"

namespace trellis {

struct Rung : Field<double, "rung", "", "rung r of individual time steps: 2^r steps in each longest step"> {};
namespace fields {
inline constexpr Rung rung;
}  // namespace fields

}  // namespace trellis
