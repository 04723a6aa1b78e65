#include "trellis/forces/compiled.hpp"

#include <algorithm>
#include <string>

#include "trellis/base/error.hpp"

namespace trellis {

namespace {

// Single precision reaches from 1e-38 to 1e38. Between these sides of the root cell and these total strengths, strengths over
// powers of distances, down to the cells of the deepest level, stay within.
constexpr double smallest_single_side = 1e-5, largest_single_side = 1e9;
constexpr double smallest_single_strength = 1e-20, largest_single_strength = 1e20;

}  // namespace

bool single_suits(Precision precision, double side, double strength) {
    if (precision != Precision::automatic) return precision == Precision::single_;
    return side > smallest_single_side && side < largest_single_side &&
           (strength == 0 || (strength > smallest_single_strength && strength < largest_single_strength));
}

bool CompiledInteraction::single(const ListedTree& listed) const {
    return single_suits(precision, listed.scale().side, listed.scale().weight);
}

void check_not_negative(const ParticleSet& particles, const std::string& field) {
    const double* values = particles.column(field).values();
    const double* negative = std::find_if(values, values + particles.size(), [](double v) { return v < 0; });
    if (negative != values + particles.size())
        throw InputError("column '" + field + "' is " + to_text(*negative) + " at index " +
                         std::to_string(negative - values) + ": allowed is 0 or more");
}

void check_columns(const InteractionKernels& kernels, const ParticleSet& particles) {
    std::size_t component = 0;
    for (const FieldInfo& field : kernels.fields) {
        particles.check_finite(field.name);
        if (component == kernels.strength && kernels.strength_has_one_sign) check_not_negative(particles, field.name);
        component += field.components;
    }
}

void check_open(const ParticleSet& particles) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (particles.region().repeats(axis))
            throw InputError(
                std::string("the particles' box repeats along ") + "xyz"[axis] +
                ", and gravity in a box that repeats is not there yet: allowed are infinite faces along all axes");
}

}  // namespace trellis
