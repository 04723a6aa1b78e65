// Systems in stages on a device: what no kernel can be made of is refused, and a device may be too small.
#include "trellis/ensembles/staged_systems.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trellis/ensembles/topology/topology_kernels.hpp"
#include "trellis/forces/run_time/graphs/written_graph.hpp"
#include "unit/devices/faulty_device.hpp"
#include "unit/ensembles/ensemble_of_atoms.hpp"
#include "unit/error_message.hpp"

namespace trellis::staged_systems_test {
namespace {

// Makes an ensemble of two atoms with this topology on a device.
void make(SystemKernels kernels, const Topology& topology, const std::shared_ptr<Device>& device) {
    const ParticleSet atoms = lattice_atoms(2, 0, 1);
    const ParticleSet* systems[] = {&atoms};
    const SystemSettings settings[] = {{.timestep = 0.002}};
    const LennardJones pairs = shifted();
    const auto bytes = std::as_bytes(std::span(&pairs, 1));
    kernels = kernels_with_topology(kernels);
    kernels.owner = std::make_shared<int>();  // as of all interactions that point to something
    const auto interaction = interaction_with_topology({bytes.begin(), bytes.end()}, topology);
    Ensemble(kernels, interaction, systems, settings, Devices(device));
}

std::string refusal(const SystemKernels& kernels, const Topology& topology, const std::string& device) {
    return message_of([&] { make(kernels, topology, std::make_shared<FaultyDevice>(Fault::none, 0, device)); });
}

SystemKernels atoms(const std::string& name) {
    SystemKernels kernels = built_in_systems(BuiltIn::lennard_jones);
    kernels.name = name;
    return kernels;
}

// A bond between the two atoms, without energy.
Topology bond(std::vector<std::byte> graph) {
    TupleFunction function;
    function.name = "springs of one's own";
    function.evaluate = [](const double*, const double*, double*, std::size_t) {};
    function.graph = std::move(graph);
    return {{{std::make_shared<TupleList>(std::vector<std::uint64_t>{0, 1}, 2),
              std::make_shared<TupleFunction>(std::move(function))}},
            nullptr};
}

TEST(StagedSystems, RefuseATupleFunctionWithoutAGraph) {
    const Topology topology = bond({});
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

// A device whose uploads are under way until its queue is waited for or ends, and whose memory ends after some
// allocations.
class FullDevice : public Device {
  public:
    explicit FullDevice(int allocations) : allocations_(allocations) {}

    const std::string& name() const override { return name_; }
    std::string description() const override { return "for tests"; }
    std::size_t memory_bytes() const override { return std::size_t{1} << 30; }
    std::size_t memory_left() const override { return memory_bytes(); }
    std::size_t queues_wanted() const override { return 1; }
    std::unique_ptr<Queue> make_queue() override { return std::make_unique<UploadQueue>(uploading_); }
    bool released_too_early() const { return too_early_; }

  private:
    class UploadQueue : public Queue {
      public:
        explicit UploadQueue(std::set<const std::byte*>& uploading) : uploading_(uploading) {}
        ~UploadQueue() override { uploading_.clear(); }
        void upload(const DeviceMemory& to, std::size_t /*offset*/, std::span<const std::byte> /*from*/) override {
            uploading_.insert(to.address());
        }
        void download(const DeviceMemory& /*from*/, std::size_t /*offset*/, std::span<std::byte> /*to*/) override {}
        void launch(std::string_view /*kernel*/, std::span<const std::byte> /*constants*/,
                    std::span<const DeviceMemory* const> /*memory*/) override {}
        Mark mark() override { return {this, 0}; }
        void after(const Mark& /*mark*/) override {}
        void wait(const Mark& /*mark*/) override { uploading_.clear(); }
        QueueTimes take_times() override { return {}; }

      private:
        std::set<const std::byte*>& uploading_;
    };

    std::byte* allocate(std::size_t bytes) override {
        if (allocations_-- == 0) throw DeviceError(name_, "is full");
        return memory_.emplace_back(bytes).data();
    }
    void release(std::byte* address, std::size_t /*bytes*/) override {
        too_early_ = too_early_ || uploading_.contains(address);
    }

    const std::string name_ = "opencl:0";
    int allocations_;
    bool too_early_ = false;
    std::set<const std::byte*> uploading_;  // memory to which uploads are under way
    std::vector<std::vector<std::byte>> memory_;
};

TEST(StagedSystems, ReleaseNothingThatIsBeingUploadedWhereADeviceIsTooSmall) {
    WrittenGraph graph(0, 3);
    const std::uint32_t nothing = graph.constant(0);
    for (int result = 0; result < 4; ++result) graph.sum(nothing, nothing);
    Topology topology = bond(graph.bytes());
    topology.pairs = std::make_shared<PairFactors>(PairFactors{TupleList({0, 1}, 2), TupleList({}, 2), {}});
    std::string error = "begun";
    int allocations = 0;
    for (; !error.empty(); ++allocations) {
        const auto device = std::make_shared<FullDevice>(allocations);
        error = message_of<DeviceError>([&] { make(atoms("atoms"), topology, device); });
        EXPECT_FALSE(device->released_too_early()) << allocations;
    }
    EXPECT_GT(allocations, 10);
    const auto device = std::make_shared<FullDevice>(allocations);
    SystemKernels kernels = atoms("atoms");
    kernels.by_graph = nullptr;
    EXPECT_NE(message_of([&] { make(kernels, topology, device); }), "");
    EXPECT_FALSE(device->released_too_early());
}

}  // namespace
}  // namespace trellis::staged_systems_test
