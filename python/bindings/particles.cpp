// ParticleSet: columns as NumPy views.
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>

#include "arrays.hpp"
#include "bindings.hpp"
#include "trellis/particles/particle_set.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::Column;
using trellis::ParticleSet;

// Particles are passed by reference: NumPy arrays are views of their memory.
template <>
struct nb::detail::is_copy_constructible<ParticleSet> : std::false_type {};

namespace {

std::vector<std::string> field_names(const ParticleSet& particles) {
    std::vector<std::string> names;
    for (const auto& column : particles.columns()) names.push_back(column->info().name);
    return names;
}

void add_field(ParticleSet& particles, const std::string& name, std::size_t components, const std::string& unit,
               const std::string& meaning) {
    particles.add({name, unit, meaning, components});
}

nb::object column(ParticleSet& particles, const std::string& name) {
    Column& column = particles.column(name);
    return view_of(column, column.values());
}

void replace_rows(ParticleSet& particles,
                  const nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>& kept,
                  std::size_t added) {
    constexpr std::int64_t none = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> rows(kept.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::int64_t row = kept.data()[k];
        rows[k] = static_cast<std::uint32_t>(row < 0 ? none : std::min(row, none));
    }
    particles.replace_rows(rows, added);
}

// The low and the high faces, shape 2 x 3.
Array<double> region(const ParticleSet& particles) {
    const auto& [low, high] = particles.region();
    return array_of(std::vector{low.x, low.y, low.z, high.x, high.y, high.z}, {2, 3});
}

void set_region(ParticleSet& particles,
                const nb::ndarray<const double, nb::shape<2, 3>, nb::c_contig, nb::device::cpu>& faces) {
    const double* at = faces.data();
    particles.set_region({{at[0], at[1], at[2]}, {at[3], at[4], at[5]}});
}

nb::typed<nb::object, Array<double>> wrapped_position(ParticleSet& particles) {
    if (!particles.region().periodic()) return column(particles, trellis::Position::name);
    using Positions = std::vector<trellis::Vec3<double>>;
    const auto from = particles[trellis::fields::position];
    auto positions = std::make_unique<Positions>(from.begin(), from.end());
    for (auto& x : *positions) x = particles.region().wrapped(x);
    auto* values = reinterpret_cast<double*>(positions->data());
    const std::size_t shape[] = {positions->size(), 3};
    const nb::capsule owner(positions.release(), [](void* memory) noexcept { delete static_cast<Positions*>(memory); });
    return nb::cast(Array<double>(values, 2, shape, owner));
}

std::tuple<std::string, std::string> field_info(const ParticleSet& particles, const std::string& name) {
    const trellis::FieldInfo& info = particles.column(name).info();
    return {info.unit, info.meaning};
}

}  // namespace

void bind_particles(nb::module_& core) {
    nb::class_<ParticleSet>(core, "ParticleSet", "Particles, one column for each field.")
        .def(nb::init<std::size_t>(), "size"_a)
        .def_prop_ro("size", &ParticleSet::size, "Number of particles.")
        .def_prop_ro("field_names", &field_names, "Names of the columns.")
        .def("add_field", &add_field, "name"_a, "components"_a = 1, "unit"_a = "", "meaning"_a = "",
             "Add a column of zeros with 1 or 3 components; ValueError if the name is taken.")
        .def("column", &column, "name"_a, nb::sig("def column(self, name: str) -> numpy.typing.NDArray[typing.Any]"),
             "View of a column, (N,) or (N, 3); ValueError for an unknown name.")
        .def("replace_rows", &replace_rows, "kept"_a.noconvert(), "added"_a = 0,
             "Keep these rows in this order and add rows of zeros; views of before are of the former rows.")
        .def_prop_ro("region", &region, nb::rv_policy::move,
                     "Low and high faces, (2, 3); infinite along axes that are open.")
        .def("set_region", &set_region, "faces"_a, "Set the faces; ValueError for some that bound nothing.")
        .def("wrapped_position", &wrapped_position,
             "The positions, all within the region: a copy, unless space is open along all axes.")
        .def("field_info", &field_info, "name"_a, "Unit and meaning of a field.")
        .def("check_finite", &ParticleSet::check_finite, "name"_a,
             "Raise a ValueError naming column and index if a value is infinite or not a number.");
}
