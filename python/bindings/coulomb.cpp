// Coulomb's force in Python.
#include <cstddef>
#include <memory>
#include <vector>

#include "bind_settings.hpp"
#include "bindings.hpp"
#include "common_parameters.hpp"
#include "excluded_pairs.hpp"
#include "tensor.hpp"
#include "trellis/forces/bonded/virial_tensor.hpp"
#include "trellis/forces/tree_mesh/excluded_charges.hpp"
#include "trellis/forces/tree_mesh/mesh_virial.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_coulomb.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace {

struct CoulombSettings final : AnyForce {
    std::unique_ptr<trellis::Force> make(const trellis::Devices& devices) const override {
        return trellis::tree_mesh_coulomb(softening, coupling, force, mesh, devices);
    }
    std::unique_ptr<trellis::Force> make_beside() const override {
        if (exclude.empty()) return nullptr;
        return std::make_unique<trellis::ExcludedCharges>(exclude, softening, coupling);
    }
    // With all open ones chosen, but for those that the particles decide.
    CoulombSettings in_use() const {
        CoulombSettings used = *this;
        if (mesh.cutoff == 0) used.mesh.cutoff = trellis::tree_mesh_coulomb_cutoff(force.accuracy);
        return used;
    }

    double coupling = 1, softening = 0;
    trellis::ForceSettings force;
    trellis::TreeMeshSettings mesh;
    std::vector<trellis::ExcludedPair> exclude;
};

using All = CoulombSettings;
using Tree = trellis::ForceSettings;
using Mesh = trellis::TreeMeshSettings;

constexpr Parameter<All> parameters[] = {
    {.name = "coupling",
     .value = member<All, &All::coupling>,
     .meaning = "c in the energy c q1 q2 / sqrt(r^2 + softening^2) of charges q1 and q2 at distance r; above 0, charges"
                " of one sign repel each other",
     .unit = "energy length / charge^2"},
    {.name = "softening",
     .value = member<All, &All::softening>,
     .meaning = "Plummer's softening length",
     .unit = "length",
     .limits = {.at_least = 0}},
    {.name = "accuracy",
     .value = member<All, &All::force, &Tree::accuracy>,
     .meaning = "wanted root-mean-square error of the accelerations over the root mean square of the net ones; 9e-5 or"
                " more, unless a mesh_cutoff is given",
     .limits = {.at_least = trellis::finest_accuracy, .below = 1}},
    {.name = "mesh_cells",
     .value = open_number<All, &All::mesh, &Mesh::cells>,
     .meaning =
         "cells of the mesh along the longest side of the box; if not given, twice as many as particles along each"
         " axis, or more",
     .limits = {.at_least = 4}},
    {.name = "mesh_cutoff",
     .value = open_number<All, &All::mesh, &Mesh::cutoff>,
     .meaning = "distance from which the mesh has the whole force, in cells of the mesh; if not given, chosen for the"
                " accuracy",
     .limits = {.above = 0},
     .source = "S2 of Hockney & Eastwood 1981"},
    precision_parameter<All, &All::force, &Tree::precision>,
    tree_lists_parameter<All, &All::force>,
    reuse_steps_parameter<All, &All::force, &Tree::reuse_steps>,
    exclude_parameter<All, &All::exclude>,
    device_parameter<All>,
};

double cutoff_in(const CoulombSettings& force, const trellis::ParticleSet& particles, std::size_t count) {
    return trellis::mesh_of_region(particles.region(), force.in_use().mesh, static_cast<double>(count)).cutoff;
}

Array<double> excluded_virial(const CoulombSettings& force, const trellis::ParticleSet& particles) {
    return tensor_of([&] {
        return trellis::virial_tensor(*trellis::world(), particles,
                                      trellis::excluded_charges(force.exclude, force.softening, force.coupling));
    });
}

Array<double> mesh_virial(const CoulombSettings& force, const trellis::ParticleSet& particles) {
    return tensor_of(
        [&] { return trellis::mesh_virial(trellis::world(), particles, force.coupling, force.in_use().mesh); });
}

}  // namespace

void bind_coulomb(nb::module_& core) {
    bind_settings<All, AnyForce>(
        core, "Coulomb",
        "Coulomb's force between charges in a box that is periodic along all axes, by a mesh and a tree (TreePM).\n\n"
        "Particles have a field ``charge``, of either sign; a uniform background makes the box neutral if they do not.",
        parameters)
        .def("cutoff_in", &cutoff_in, "particles"_a, "count"_a,
             "The distance from which the mesh has the whole force in the box of the particles; count: on all ranks.")
        .def("mesh_virial", &mesh_virial, "particles"_a,
             "The part of the mesh in the virial tensor -dU/d(strain), shape (3, 3), of the particles of all ranks; all"
             " ranks call this.")
        .def("excluded_virial", &excluded_virial, "particles"_a, "The same of excluded pairs.");
}
