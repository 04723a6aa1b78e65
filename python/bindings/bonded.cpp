// Forces over given tuples, in Python: see python/trellis/bonded.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "forces.hpp"
#include "tensor.hpp"
#include "trellis/forces/bonded/bonded_force.hpp"
#include "trellis/forces/bonded/virial_tensor.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace {

using Members = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct BondedSettings final : AnyForce {
    // Tuples are computed on the host, wherever other forces are.
    std::unique_ptr<trellis::Force> make(const trellis::Devices&) const override {
        return std::make_unique<trellis::BondedForce>(potential);
    }
    // Ensembles ask for it, and only their devices compute tuples: others have no need of the graph.
    const trellis::TuplePotential* over_tuples() const override {
        if (function->graph.empty()) {
            const auto graph = nb::cast<nb::bytes>(make_graph());
            const auto* const first = static_cast<const std::byte*>(graph.data());
            if (function->graph.empty()) function->graph.assign(first, first + graph.size());  // not by another thread
        }
        return &potential;
    }

    trellis::TuplePotential potential;
    std::shared_ptr<trellis::TupleFunction> function;  // that of the potential
    nb::callable make_graph;
};

void make_settings(BondedSettings* self, const std::string& name, const Members& members, std::uintptr_t address,
                   std::vector<double> parameters, const Values& of_each_tuple,
                   nb::typed<nb::callable, nb::bytes()> make_graph, std::size_t common) {
    auto function = std::make_shared<trellis::TupleFunction>();
    function->name = name;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): this is how a compiler in Python hands its functions over
    function->evaluate = reinterpret_cast<decltype(function->evaluate)>(address);
    function->parameters = std::move(parameters);
    function->values = of_each_tuple.shape(1);
    function->of_each_tuple.assign(of_each_tuple.data(), of_each_tuple.data() + of_each_tuple.size());
    function->common = common;
    std::vector<std::uint64_t> ids(members.data(), members.data() + members.size());
    auto tuples = std::make_shared<trellis::TupleList>(std::move(ids), members.shape(1));
    auto* const settings = new (self) BondedSettings();
    settings->potential = {std::move(tuples), function};
    settings->function = std::move(function);
    settings->make_graph = std::move(make_graph);
}

Array<double> virial_tensor(const BondedSettings& force, const trellis::ParticleSet& particles) {
    return tensor_of([&] { return trellis::virial_tensor(*trellis::world(), particles, force.potential); });
}

}  // namespace

void bind_bonded(nb::module_& core) {
    nb::class_<BondedSettings, AnyForce>(core, "TuplePotential", "See trellis.bond_potential.")
        .def(
            "__init__", &make_settings, "name"_a, "members"_a, "function"_a, "parameters"_a, "of_each_tuple"_a,
            "make_graph"_a, "common"_a,
            "members: ids, a row for each tuple; function: the address of what computes tuples; of_each_tuple: values\n"
            "that it is given for each, a row for each tuple; make_graph: returns the same for devices, when an\n"
            "ensemble asks for it; common: the number of the parameters that are its first values.")
        .def("virial_tensor", &virial_tensor, "particles"_a,
             "The sum over members of x_a f_b, shape (3, 3), of the particles of all ranks; all ranks call this.");
    core.attr("tuples_at_once") = trellis::tuples_at_once;
}
