// Checks of the numbers that a built-in field has. name: of the number, for the message.
#pragma once

#include "trellis/base/vec.hpp"

namespace trellis {

// Each throws InputError unless the number is what it says.
void check_above_zero(const char* name, double value);
void check_not_below_zero(const char* name, double value);
void check_is_finite(const char* name, double value);
void check_is_finite(const char* name, const Vec3<double>& vector);

// The same for the numbers of a mass that attracts.
void check_mass(double mass, const Vec3<double>& centre, double G);

}  // namespace trellis
