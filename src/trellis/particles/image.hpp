// The field `image`: how often a particle has gone around a periodic box. Counted where the particles have the column.
#pragma once

#include "trellis/particles/field.hpp"

namespace trellis {

struct Image : Field<Vec3<double>, "image", "",
                     "sides of the periodic box by which a particle has gone beyond its position, axis by axis"> {};

namespace fields {
inline constexpr Image image;
}  // namespace fields

}  // namespace trellis
