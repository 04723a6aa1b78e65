// The steps of systems on a GPU or a server whose interaction is compiled at run time, or that have bonds: stages
// (staged/stages.hpp), and forces by the graphs of the interactions (forces/run_time/graphs/small_sets.hpp) and of
// tuples (topology/device_tuples.hpp), launched alternately.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/ensembles/staged/stages.hpp"
#include "trellis/ensembles/system_table.hpp"
#include "trellis/ensembles/topology/device_tuples.hpp"

namespace trellis {

class StagedSystems {
  public:
    // True if a device has the steps of such systems in stages: it cannot call what interactions point to.
    static bool needed(const SystemTable& table, const Device& device);

    // systems: those of the device; ids: of all their slots. Queues uploads, which the ids must outlive. Throws
    // InputError for an interaction that no device can compute, DeviceError if there is too little memory.
    StagedSystems(const std::shared_ptr<Device>& device, const SystemTable& table, std::span<const System> systems,
                  std::span<const std::uint64_t> ids, Queue& queue);

    // The contents of SystemMemory::interactions there.
    std::span<const std::byte> interactions() const { return std::as_bytes(std::span(interactions_)); }

    // Queues a call. memory: as SystemMemory has it.
    void launch(Queue& queue, const SystemsCall& call, std::span<const DeviceMemory, system_memories> memory);

  private:
    void take_topologies(const std::shared_ptr<Device>& device, const SystemTopologies& all, Queue& queue);
    void take_interactions(const SystemTable& table, bool excluding);
    void launch_stages(Queue& queue, std::span<const DeviceMemory, system_memories> memory, std::uint64_t stages);
    void launch_forces(Queue& queue, std::span<const DeviceMemory, system_memories> memory, bool of_trials);
    DeviceMemory& own(StageMemory which) { return own_[static_cast<std::size_t>(which) - system_memories]; }

    std::vector<std::string> kernels_;  // of the graphs, by number
    std::vector<double> interactions_;  // rows: see SmallSetsCall
    StagesCall call_;                   // the latest constants
    DeviceMemory own_[stage_memories - system_memories];
    std::optional<SetTables> excluded_;
    std::optional<DeviceTuples> tuples_;
};

}  // namespace trellis
