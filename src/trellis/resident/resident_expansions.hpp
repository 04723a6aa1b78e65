// Forces of orders above 1 on particles that live on a device, by multipole moments and local expansions. The device
// builds the tree, and computes moments, expansions and pairs by the kernels of methods G2 and G3. The host copies the
// cells, without their particles, walks them, and sends the lists, which are those of G2; lists that are reused stay on
// the device, which also checks them.
#pragma once

#include <memory>

#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/forces/tree/device/batches/device_batch.hpp"
#include "trellis/forces/tree/settings.hpp"
#include "trellis/forces/work.hpp"
#include "trellis/resident/cells_on_host.hpp"
#include "trellis/resident/resident_tree.hpp"

namespace trellis {

class ResidentExpansions {
  public:
    // coupling: acceleration = coupling * strength / distance^2, for the relative criterion.
    ResidentExpansions(std::shared_ptr<Device> device, Queue& queue, ResidentState& state,
                       CompiledInteraction interaction, double coupling, const ForceChoice& choice);

    // Waits for copies of the cells, makes their lists, and queues them to be sent. by_acceleration: true if
    // accelerations are known, so that the relative criterion may use them. phases: of the host.
    void make(const ResidentTree& tree, const Box& root, const DeviceMemory& accelerations, bool by_acceleration,
              Phases& phases);
    // The precision that suits the particles of these lists.
    bool single() const { return single_; }

    // Queues the check whether the lists are still valid (see recheck.hpp); the state then holds the outcome.
    void check(const ResidentTree& tree);

    // Queues the sums of the interaction for all particles, in their order. rows: of the particles.
    void evaluate(const ResidentTree& tree, const DeviceMemory& rows);
    const DeviceMemory& sums() const { return batch_.results(); }

    const Work& work() const { return work_; }

  private:
    void find_tolerances(const ResidentTree& tree, const DeviceMemory& accelerations);
    void walk();
    void send(const ResidentTree& tree);
    const DeviceMemory& tolerances() const { return has_tolerances_ ? tolerances_ : nothing_; }

    std::shared_ptr<Device> device_;
    Queue& queue_;
    ResidentState& state_;
    CompiledInteraction interaction_;
    double coupling_;
    ForceChoice choice_;

    CellsOnHost on_host_;
    InteractionLists lists_;
    BatchKernel kernel_;
    DeviceBatch batch_;  // all groups
    FarTargets trunk_;
    DeviceMemory tolerances_, sizes_, frames_, cells_, nothing_;
    bool has_tolerances_ = false, single_ = true;
    Work work_;
};

}  // namespace trellis
