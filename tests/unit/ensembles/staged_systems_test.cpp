// Systems in stages on a device: what no kernel can be made of is refused.
#include "trellis/ensembles/staged_systems.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trellis/ensembles/topology/topology_kernels.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/ensembles/ensemble_of_atoms.hpp"
#include "unit/error_message.hpp"

namespace trellis::staged_systems_test {
namespace {

// What an ensemble of two atoms with this topology says, on a device of that name.
std::string refusal(SystemKernels kernels, const Topology& topology, const std::string& device) {
    const ParticleSet atoms = lattice_atoms(2, 0, 1);
    const ParticleSet* systems[] = {&atoms};
    const SystemSettings settings[] = {{.timestep = 0.002}};
    const LennardJones pairs = shifted();
    const auto bytes = std::as_bytes(std::span(&pairs, 1));
    kernels = kernels_with_topology(kernels);
    kernels.owner = std::make_shared<int>();  // as of all interactions that point to something
    const auto interaction = interaction_with_topology({bytes.begin(), bytes.end()}, topology);
    const auto made = std::make_shared<FaultyDevice>(Fault::none, 0, device);
    return message_of([&] { Ensemble(kernels, interaction, systems, settings, Devices(made)); });
}

SystemKernels atoms(const std::string& name) {
    SystemKernels kernels = built_in_systems(BuiltIn::lennard_jones);
    kernels.name = name;
    return kernels;
}

TEST(StagedSystems, RefuseATupleFunctionWithoutAGraph) {
    TupleFunction function;
    function.name = "springs of one's own";
    function.evaluate = [](const double*, const double*, double*, std::size_t) {};
    const Topology topology{{{std::make_shared<TupleList>(std::vector<std::uint64_t>{0, 1}, 2),
                              std::make_shared<TupleFunction>(std::move(function))}},
                            nullptr};
    const std::string sentence = "the potential springs of one's own has no graph, of which devices make kernels";
    EXPECT_EQ(refusal(atoms("atoms"), topology, "opencl:0"), sentence);
    EXPECT_EQ(refusal(atoms("atoms"), topology, "unix:/socket/cpu"), sentence);
    EXPECT_EQ(refusal(atoms("atoms"), topology, "cpu"), "");
}

TEST(StagedSystems, RefuseAnInteractionWithoutAGraph) {
    SystemKernels kernels = atoms("atoms of one's own");
    kernels.by_graph = nullptr;
    const std::string sentence =
        "the interaction atoms of one's own with a topology has no graph, of which devices make kernels";
    EXPECT_EQ(refusal(kernels, {}, "opencl:0"), sentence);
    EXPECT_EQ(refusal(kernels, {}, "unix:/socket/cpu"), sentence);
    EXPECT_EQ(refusal(kernels, {}, "cpu"), "");
}

}  // namespace
}  // namespace trellis::staged_systems_test
