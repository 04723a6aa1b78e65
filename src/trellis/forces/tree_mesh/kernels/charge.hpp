// The field `charge`, which Coulomb's force reads.
#pragma once

#include "trellis/particles/field.hpp"

namespace trellis {

struct Charge : Field<double, "charge", "charge", "electric charge"> {};

namespace fields {
inline constexpr Charge charge;
}  // namespace fields

}  // namespace trellis
