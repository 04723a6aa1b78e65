// Interaction lists of particles that live on a device, made there: the rows that act on each group (see
// device_pairs.hpp), the same as those of device_lists.hpp in another order.
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

    // Queues the lists, as long as there is room for; the state then says whether there was. by_acceleration:
    // accelerations are known, and the relative criterion may use them. single: the precision that forces will have.
    void make(const ResidentTree& tree, const DeviceMemory& accelerations, bool by_acceleration, bool single);
    // Takes note of what make has made, and makes room for it where there was too little: then make must follow again.
    void learn(const ResidentValues& made);

    // Queues the check whether the lists are still valid (see recheck.hpp); the state then says.
    void check(const ResidentTree& tree);

    const DeviceMemory& groups() const { return groups_; }    // of DeviceGroup
    const DeviceMemory& indices() const { return indices_; }  // rows
    // The number of groups; from make to learn: as many as there is room for, of which some are empty.
    std::uint32_t group_count() const { return group_count_; }
    std::uint32_t largest_group() const { return largest_group_; }  // its i-particles, or more
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
