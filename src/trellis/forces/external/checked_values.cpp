#include "trellis/forces/external/checked_values.hpp"

#include <cmath>
#include <string>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

void refuse(const char* name, const std::string& value, const char* allowed) {
    throw InputError(std::string(name) + " is " + value + ": allowed is " + allowed);
}

}  // namespace

void check_above_zero(const char* name, double value) {
    if (!(value > 0 && std::isfinite(value))) refuse(name, to_text(value), "above 0");
}

void check_not_below_zero(const char* name, double value) {
    if (!(value >= 0 && std::isfinite(value))) refuse(name, to_text(value), "0 or more");
}

void check_is_finite(const char* name, double value) {
    if (!std::isfinite(value)) refuse(name, to_text(value), "a finite number");
}

void check_is_finite(const char* name, const Vec3<double>& vector) {
    if (std::isfinite(vector.x) && std::isfinite(vector.y) && std::isfinite(vector.z)) return;
    refuse(name, std::string("(") + to_text(vector.x) + ", " + to_text(vector.y) + ", " + to_text(vector.z) + ")",
           "three finite numbers");
}

void check_mass(double mass, const Vec3<double>& centre, double G) {
    check_above_zero("mass", mass);
    check_is_finite("centre", centre);
    check_above_zero("G", G);
}

}  // namespace trellis
