// Lists of the particles of systems (forces/run_time/graphs/set_lists.hpp), one of each kind for each system in each
// Hamiltonian, in the memory of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/forces/bonded/topology.hpp"
#include "trellis/forces/run_time/graphs/set_lists.hpp"

namespace trellis {

// The topology of each Hamiltonian, and the ids of the particles of each system.
struct SystemTopologies {
    std::vector<const Topology*> of_hamiltonians;
    std::vector<std::span<const std::uint64_t>> ids;
};

class SetTables {
  public:
    using Entries = std::vector<std::vector<std::uint32_t>>;  // of each particle
    // Makes the lists of each kind, among particles of these ids. Throws InputError if a member is not there.
    using Make = std::function<std::vector<SetLists>(const Topology&, std::span<const std::uint64_t>, SetTables&)>;

    // A system that lacks members that the topology of another system's Hamiltonian names has no lists there.
    void fill(const SystemTopologies& all, std::size_t kinds, const Make& make);
    // Lists of entries; the numbers of their members, and values, are those that were added last.
    SetLists add(const Entries& entries, std::span<const std::uint32_t> members, std::span<const double> values);

    // Queues the upload; the tables must outlive it.
    void upload(const std::shared_ptr<Device>& device, Queue& queue);
    const DeviceMemory& lists() const { return memory_[0]; }
    const DeviceMemory& numbers() const { return memory_[1]; }
    const DeviceMemory& values() const { return memory_[2]; }
    std::uint64_t number_count() const { return numbers_.size(); }
    std::uint64_t value_count() const { return values_.size(); }

  private:
    std::vector<SetLists> lists_;  // kind by kind those of the systems in all Hamiltonians, system by system
    std::vector<std::uint32_t> numbers_;
    std::vector<double> values_;
    DeviceMemory memory_[3];
};

}  // namespace trellis
