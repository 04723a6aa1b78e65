// Interaction lists of particles that live on a device, made there: the rows that act on each group (see
// device_pairs.hpp), the same rows as in device_lists.hpp in another order.
#pragma once

#include <memory>

#include "trellis/forces/tree/settings.hpp"
#include "trellis/resident/resident_tree.hpp"

namespace trellis {

class ResidentLists {
  public:
    // coupling: acceleration = coupling * strength / distance^2, for the relative criterion.
    ResidentLists(std::shared_ptr<Device> device, Queue& queue, ResidentState& state, std::size_t particles,
                  const ForceChoice& choice, double coupling);

    // Queues the lists, as far as memory suffices; the state then holds whether it did. by_acceleration: true if
    // accelerations are known, so that the relative criterion may use them. single: the precision that forces will
    // have.
    void make(const ResidentTree& tree, const DeviceMemory& accelerations, bool by_acceleration, bool single);
    // Reads the sizes that make has found, and enlarges memory that was too small: then make must be queued again.
    void learn(const ResidentValues& made);

    // Queues the check whether the lists are still valid (see recheck.hpp); the state then holds the outcome.
    void check(const ResidentTree& tree);

    const DeviceMemory& groups() const { return groups_; }    // array of DeviceGroup
    const DeviceMemory& indices() const { return indices_; }  // array of rows
    // The number of groups; from make to learn the largest number that memory allows, some of them empty.
    std::uint32_t group_count() const { return group_count_; }
    std::uint32_t largest_group() const { return largest_group_; }  // upper limit of its i-particles
    std::uint64_t index_count() const { return index_count_; }
    std::uint64_t pairs() const { return pairs_; }

  private:
    void find_groups(const ResidentTree& tree, bool single);
    std::size_t share_count() const;
    std::size_t index_room() const { return indices_.bytes() / sizeof(std::uint32_t); }

    std::shared_ptr<Device> device_;
    Queue& queue_;
    ResidentState& state_;
    std::uint32_t particles_;
    ForceChoice choice_;
    double coupling_;
    DeviceMemory space_, marks_, sizes_, group_cells_, tolerances_, begins_, groups_, indices_;
    std::uint32_t group_count_ = 0, largest_group_;
    std::uint64_t index_count_ = 0, pairs_ = 0;
};

}  // namespace trellis
