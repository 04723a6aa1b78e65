// A short-range interaction ready to be evaluated, over any neighbourhood that has everyone within its reach, on this process's own threads or on a device.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/forces/neighbour_kernels.hpp"
#include "trellis/forces/neighbour_launch.hpp"
#include "trellis/forces/settings.hpp"
#include "trellis/lists/neighbourhood.hpp"

namespace trellis {

// A value that is read ahead of its time: as value + time * rate, both names of columns.
struct Prediction {
    std::string value, rate;
    double time;
};

class NeighbourEvaluator {
  public:
    // interaction: as the kernels take it. Automatic precision: single, unless a reach or a value that is read is so large or small that its powers are not.
    NeighbourEvaluator(NeighbourKernels kernels, std::shared_ptr<const void> interaction, Precision precision);

    // From now on on the device that these are on; null: on this process's own threads.
    void use_device(const std::shared_ptr<DeviceNeighbours>& neighbours);

    // Reads what the interaction needs of the particles, and sends others what they need: collective, where the neighbourhood is. Throws InputError if a
    // column that is read is missing or not finite. groups: a flag for each group of the lists, to stay until finish; only those with one that is not 0
    // are evaluated. Empty: all. A device begins to work on them.
    void begin(const Neighbourhood& neighbourhood, const ParticleSet& particles,
               std::span<const Prediction> predictions, Phases& phases, std::span<const std::uint8_t> groups = {});
    // Waits for what others have sent, if that has not been done: before anything else is exchanged. Then a device begins to work.
    void receive(const Neighbourhood& neighbourhood, Phases& phases);

    // Whether sums are added to the columns of the outcome, or replace what is there. Maxima and minima always replace it.
    enum class Sums { add, replace };

    // What those within reach do to each of the particles that were read. Collective, like begin.
    Work finish(const Neighbourhood& neighbourhood, ParticleSet& particles, Sums sums, Phases& phases);

    // One after the other.
    Work evaluate(const Neighbourhood& neighbourhood, ParticleSet& particles, Sums sums, Phases& phases,
                  std::span<const std::uint8_t> groups = {}) {
        begin(neighbourhood, particles, {}, phases, groups);
        return finish(neighbourhood, particles, sums, phases);
    }

    const NeighbourKernels& kernels() const { return kernels_; }
    const void* interaction() const { return interaction_.get(); }

  private:
    bool single_suits(const Neighbourhood& neighbourhood) const;
    void predict(const Prediction& prediction, const ParticleSet& particles, std::span<const std::uint32_t> order);
    void launch(const Neighbourhood& neighbourhood, Phases& phases);
    void point_to_columns(NeighbourScene& scene);
    template <class Wanted>
    Work evaluate_groups(NeighbourScene scene, Wanted&& wanted, Phases& phases);

    NeighbourKernels kernels_;
    std::shared_ptr<const void> interaction_;
    Precision precision_;
    bool single_ = true;  // what was read suits it
    SortedColumns columns_;
    std::span<const std::uint8_t> groups_;     // flags, from begin to finish
    std::unique_ptr<Exchange> exchange_;       // of ghosts; null: none under way
    std::vector<Workspace> workspaces_;        // of each thread
    std::unique_ptr<NeighbourLaunch> launch_;  // on a device; null: there is none
};

}  // namespace trellis
