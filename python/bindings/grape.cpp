// The GRAPE calls with NumPy arrays, for python/trellis/grape.py.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "python_lock.hpp"
#include "trellis/base/error.hpp"
#include "trellis/grape/calls/grape3.hpp"
#include "trellis/grape/calls/grape5.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;
using trellis::Grape3;
using trellis::Grape5;
using trellis::GrapeForce;
using trellis::SharedGrape3;
using trellis::Vec3;

namespace {

using Vectors = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Forces = std::tuple<Array<double>, Array<double>>;

int rows(const Vectors& x) {
    if (x.shape(0) > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw trellis::InputError("there are " + std::to_string(x.shape(0)) + " particles, but at most 2147483647 fit");
    return static_cast<int>(x.shape(0));
}

const Vec3<double>* vectors(const Vectors& x) { return reinterpret_cast<const Vec3<double>*>(x.data()); }
std::span<const Vec3<double>> span_of(const Vectors& x) { return {vectors(x), x.shape(0)}; }
std::span<const double> span_of(const Numbers& values) { return {values.data(), values.size()}; }

// Accelerations, shape (N, 3), and potentials, computed by compute(accelerations, potentials) for count particles.
template <class Compute>
Forces forces_by(int count, Compute&& compute) {
    const auto size = static_cast<std::size_t>(std::max(count, 0));
    std::vector<double> accelerations(3 * size), potentials(size);
    {
        const LockReleased unlocked;
        compute(reinterpret_cast<Vec3<double>*>(accelerations.data()), potentials.data());
    }
    return {array_of(std::move(accelerations), {size, 3}), array_of(std::move(potentials), {size})};
}

void bind_grape5(nb::module_& core) {
    nb::class_<Grape5>(core, "Grape5", "The boards of GRAPE-5.")
        .def_ro_static("pipelines", &Grape5::pipelines)
        .def_ro_static("j_memory", &Grape5::j_memory)
        .def_static("check_range", &Grape5::check_range, "xmin"_a, "xmax"_a, "mmin"_a)
        .def("open", &Grape5::open)
        .def("close", &Grape5::close, nb::call_guard<LockReleased>())
        .def("set_softening", &Grape5::set_softening, "softening"_a)
        .def("set_count", &Grape5::set_count, "board"_a, "count"_a)
        .def(
            "set_sources",
            [](Grape5& boards, int board, int first, const Vectors& x, const Numbers& m) {
                if (x.shape(0) != m.size())
                    throw trellis::InputError("there are " + std::to_string(x.shape(0)) + " positions, but " +
                                              std::to_string(m.size()) + " masses");
                boards.set_sources(board, first, rows(x), vectors(x), m.data());
            },
            "board"_a, "first"_a, "positions"_a, "masses"_a)
        .def(
            "set_targets",
            [](Grape5& boards, int board, const Vectors& x) { boards.set_targets(board, rows(x), vectors(x)); },
            "board"_a, "positions"_a)
        .def("run", &Grape5::run, "board"_a, nb::call_guard<LockReleased>())
        .def(
            "get_forces",
            [](Grape5& boards, int board) {
                const int count = boards.targets(board);
                return forces_by(count, [&](Vec3<double>* a, double* p) { boards.get_forces(board, count, a, p); });
            },
            "board"_a)
        .def(
            "forces_on",
            [](Grape5& boards, int board, const Vectors& x) {
                const int count = rows(x);
                return forces_by(count,
                                 [&](Vec3<double>* a, double* p) { boards.forces_on(board, count, vectors(x), a, p); });
            },
            "board"_a, "positions"_a);
    core.def("grape5", &trellis::grape5, nb::rv_policy::reference, "The boards of this process.");
}

// Calls body(calls) under the board's mutex, without Python's lock.
template <class Body>
auto alone(SharedGrape3& grape, Body&& body) {
    const LockReleased unlocked;
    const std::scoped_lock lock(grape.mutex);
    return body(grape.calls);
}

Forces forces_of(const std::vector<GrapeForce>& found) {
    return forces_by(static_cast<int>(found.size()), [&](Vec3<double>* a, double* p) {
        for (std::size_t i = 0; i < found.size(); ++i) {
            a[i] = found[i].acceleration;
            p[i] = found[i].potential;
        }
    });
}

std::vector<GrapeForce> copy_of(std::span<const GrapeForce> forces) { return {forces.begin(), forces.end()}; }

std::tuple<Array<std::uint32_t>, Array<std::uint64_t>> neighbours(SharedGrape3& grape) {
    auto [found, begins] = alone(grape, [](Grape3& calls) {
        const auto lists = calls.neighbours();
        return std::pair(std::vector(lists.found.begin(), lists.found.end()),
                         std::vector(lists.begins.begin(), lists.begins.end()));
    });
    const std::size_t entries = found.size(), lists = begins.size();
    return {array_of(std::move(found), {entries}), array_of(std::move(begins), {lists})};
}

void start(SharedGrape3& grape, std::pair<int, int> targets, std::pair<int, int> sources, int mode, bool waits) {
    const auto range = [](const char* what, std::pair<int, int> bounds) -> trellis::GrapeRange {
        const auto [first, end] = bounds;
        if (first < 0 || end < first)
            throw trellis::InputError(std::string(what) + " are [" + std::to_string(first) + ", " +
                                      std::to_string(end) + "), but are counted from 0, the smaller number first");
        return {static_cast<std::size_t>(first), static_cast<std::size_t>(end - first)};
    };
    alone(grape, [&](Grape3& calls) {
        calls.start(range("the i-particles", targets), range("the j-particles", sources), mode);
        if (waits) calls.wait();
    });
}

void bind_grape3(nb::module_& core) {
    nb::class_<SharedGrape3>(core, "Grape3", "The board of Remote-GRAPE.")
        .def_static("check_scales", &Grape3::check_scales, "length"_a, "mass"_a)
        .def(
            "set_softening2",
            [](SharedGrape3& grape, double eps2) { alone(grape, [&](Grape3& calls) { calls.set_softening2(eps2); }); },
            "eps2"_a)
        .def(
            "set_count", [](SharedGrape3& grape, int n) { alone(grape, [&](Grape3& calls) { calls.set_count(n); }); },
            "n"_a)
        .def(
            "write_position",
            [](SharedGrape3& grape, int j, double x, double y, double z) {
                alone(grape, [&](Grape3& calls) { calls.write_position(j, {x, y, z}); });
            },
            "j"_a, "x"_a, "y"_a, "z"_a)
        .def(
            "write_mass",
            [](SharedGrape3& grape, int j, double m) { alone(grape, [&](Grape3& calls) { calls.write_mass(j, m); }); },
            "j"_a, "mass"_a)
        .def(
            "write_positions",
            [](SharedGrape3& grape, const Vectors& x) {
                alone(grape, [&](Grape3& calls) { calls.write_positions(span_of(x)); });
            },
            "positions"_a)
        .def(
            "write_masses",
            [](SharedGrape3& grape, const Numbers& m) {
                alone(grape, [&](Grape3& calls) { calls.write_masses(span_of(m)); });
            },
            "masses"_a)
        .def(
            "write_radii",
            [](SharedGrape3& grape, const Numbers& h) {
                alone(grape, [&](Grape3& calls) { calls.write_radii(span_of(h)); });
            },
            "radii"_a)
        .def(
            "forces_on",
            [](SharedGrape3& grape, const Vectors& x) {
                return forces_of(alone(grape, [&](Grape3& calls) { return copy_of(calls.forces_on(span_of(x))); }));
            },
            "positions"_a)
        .def("start", &start, "targets"_a, "sources"_a, "mode"_a, "waits"_a)
        .def("forces",
             [](SharedGrape3& grape) {
                 return forces_of(alone(grape, [](Grape3& calls) { return copy_of(calls.forces()); }));
             })
        .def("neighbours", &neighbours);
    core.def("grape3", &trellis::grape3, nb::rv_policy::reference, "The board of this process.");
}

}  // namespace

void bind_grape(nb::module_& core) {
    bind_grape5(core);
    bind_grape3(core);
}
