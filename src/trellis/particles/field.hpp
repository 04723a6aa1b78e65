// Fields: the properties of a particle. A field is declared once (name, unit, meaning, value type) and that one
// declaration serves the particle columns, the pair interaction, the snapshot file, the Python attribute and the
// documentation.
//
// A field of your own:
//     struct Charge : Field<double, "charge", "e", "electric charge"> {};
//     inline constexpr Charge charge;
// A field's type is named like a type (Charge), the object that finds its values like a variable: particles[charge].
// The fields of Trellis are in a namespace of their own: using namespace trellis::fields.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "trellis/base/vec.hpp"

namespace trellis {

// A string that can be a template argument.
template <std::size_t Length>
struct Text {
    char value[Length];
    // NOLINTNEXTLINE(google-explicit-constructor): a literal is written where a Text is expected
    constexpr Text(const char (&literal)[Length]) { std::copy_n(literal, Length, value); }
};

// Value types: double, Vec3<double> and std::uint64_t.
template <class T, Text Name, Text Unit, Text Meaning>
struct Field {
    using Value = T;
    static constexpr const char* name = Name.value;
    static constexpr const char* unit = Unit.value;
    static constexpr const char* meaning = Meaning.value;
    static constexpr std::size_t components = std::is_same_v<T, Vec3<double>> ? 3 : 1;
};

// A field's declaration as data, for columns that are made at run time.
struct FieldInfo {
    std::string name;
    std::string unit;
    std::string meaning;
    std::size_t components = 1;  // 1 or 3
    bool integer = false;        // std::uint64_t rather than double
};

// The number of components of all these fields together.
inline std::size_t components_of(std::span<const FieldInfo> fields) {
    std::size_t total = 0;
    for (const FieldInfo& field : fields) total += field.components;
    return total;
}

inline std::vector<std::string> names_of(std::span<const FieldInfo> fields) {
    std::vector<std::string> names;
    for (const FieldInfo& field : fields) names.push_back(field.name);
    return names;
}

template <class F>
FieldInfo field_info() {
    return {F::name, F::unit, F::meaning, F::components, std::is_same_v<typename F::Value, std::uint64_t>};
}

struct Position : Field<Vec3<double>, "position", "length", "position"> {};
struct Velocity : Field<Vec3<double>, "velocity", "length / time", "velocity"> {};
struct Mass : Field<double, "mass", "mass", "mass"> {};
struct SofteningLength : Field<double, "softening", "length", "softening length of gravity"> {};
struct Id : Field<std::uint64_t, "id", "", "identity: stays with the particle when rows are reordered"> {};
struct Acceleration : Field<Vec3<double>, "acceleration", "length / time^2", "acceleration, all forces together"> {};
struct Potential : Field<double, "potential", "length^2 / time^2", "potential, all pair forces together"> {};
struct ExternalPotential
    : Field<double, "external_potential", "length^2 / time^2", "potential, all external fields together"> {};
struct Virial : Field<double, "virial", "mass length^2 / time^2",
                      "sum over pair forces f of r.f, r from the other particle to this one"> {};

namespace fields {
inline constexpr Position position;
inline constexpr Velocity velocity;
inline constexpr Mass mass;
inline constexpr SofteningLength softening;
inline constexpr Id id;
inline constexpr Acceleration acceleration;
inline constexpr Potential potential;
inline constexpr ExternalPotential external_potential;
inline constexpr Virial virial;
}  // namespace fields

}  // namespace trellis
