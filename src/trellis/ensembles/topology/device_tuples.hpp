// Bonds, angles and dihedrals of systems on a device that computes them by their graphs (forces/run_time/tuples).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/ensembles/topology/set_tables.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"

namespace trellis {

class DeviceTuples {
  public:
    // Queues the upload of the lists, which this must outlive. Throws InputError for a function without a graph.
    DeviceTuples(const std::shared_ptr<Device>& device, const SystemTopologies& all, Queue& queue);

    // Queues what adds the forces of tuples to those of pairs. call: as for these.
    void launch(Queue& queue, const SmallSetsCall& call, const DeviceMemory& sets, const DeviceMemory& columns,
                const DeviceMemory& potentials) const;

  private:
    std::vector<std::vector<std::byte>> graphs_;
    std::vector<std::string> kernels_;  // of the graphs
    SetTables tables_;
};

// The lists of excluded pairs, as the kernel of pairs takes them (forces/run_time/graphs/small_sets.hpp).
SetTables excluded_pairs(const SystemTopologies& all);

}  // namespace trellis
