// Neighbours as NumPy arrays.
#include "trellis/lists/neighbours/tables/neighbours.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "python_lock.hpp"
#include "trellis/base/error.hpp"
#include "trellis/lists/neighbours/tables/nearest.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::ParticleSet;

namespace {

using Radii = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

trellis::Search search_named(const std::string& name) {
    if (name == "gather") return trellis::Search::gather;
    if (name == "scatter") return trellis::Search::scatter;
    if (name == "symmetric") return trellis::Search::symmetric;
    throw trellis::InputError("search is '" + name + "': allowed are 'gather', 'scatter' and 'symmetric'");
}

std::tuple<Array<std::uint64_t>, Array<std::uint32_t>, Array<double>> neighbours(const ParticleSet& particles,
                                                                                 const Radii& radii,
                                                                                 const std::string& search) {
    auto table = [&] {
        const auto how = search_named(search);
        const LockReleased unlocked;
        return trellis::find_neighbours(particles, {radii.data(), radii.size()}, how);
    }();
    const std::size_t count = table.rows.size(), begins = table.begins.size();
    return std::tuple(array_of(std::move(table.begins), {begins}), array_of(std::move(table.rows), {count}),
                      array_of(std::move(table.distances), {count}));
}

std::tuple<Array<std::uint32_t>, Array<double>> nearest(const ParticleSet& particles, std::size_t count) {
    auto table = [&] {
        const LockReleased unlocked;
        return trellis::nearest_neighbours(particles, count);
    }();
    return std::tuple(array_of(std::move(table.rows), {particles.size(), count}),
                      array_of(std::move(table.distances), {particles.size(), count}));
}

}  // namespace

void bind_neighbours(nb::module_& core) {
    core.def("neighbours", &neighbours, "particles"_a, "radii"_a, "search"_a,
             "Begins, rows and distances of the neighbours within one radius, or one for each particle.");
    core.def("nearest", &nearest, "particles"_a, "count"_a, "Rows and distances of the nearest, (N, count) each.");
}
