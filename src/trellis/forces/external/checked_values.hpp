// Checks of the parameters of a built-in field. name: of the parameter, for the message.
#pragma once

#include "trellis/base/vec.hpp"

namespace trellis {

// Each throws InputError unless the value is as the function's name says.
void check_above_zero(const char* name, double value);
void check_not_below_zero(const char* name, double value);
void check_is_finite(const char* name, double value);
void check_is_finite(const char* name, const Vec3<double>& vector);

// The same for G and the mass of an attracting body.
void check_mass(double mass, const Vec3<double>& centre, double G);

}  // namespace trellis
