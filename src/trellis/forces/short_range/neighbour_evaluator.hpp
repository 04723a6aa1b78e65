// Evaluates a short-range interaction over a neighbourhood with search radii at least as large, on the threads of this
// process or on devices.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trellis/base/workspace.hpp"
#include "trellis/forces/precision.hpp"
#include "trellis/forces/short_range/device/neighbour_launch.hpp"
#include "trellis/forces/short_range/kernels/neighbour_kernels.hpp"
#include "trellis/forces/short_range/source_rows.hpp"
#include "trellis/lists/neighbours/neighbourhood.hpp"
#include "trellis/particles/motion.hpp"

namespace trellis {

// True if single precision suits the values of particles with search radii up to `reach`. Positions do not count:
// kernels have them relative to a point nearby.
bool single_suits(const SortedColumns& columns, double reach);

class NeighbourEvaluator {
  public:
    // interaction: the parameters that the kernels take. Automatic precision: single, unless on any rank the powers of
    // a search radius, or of a value that is read, are out of the range of single precision. The threads of this
    // process then also take double for groups that are far wider than the search radius.
    NeighbourEvaluator(NeighbourKernels kernels, std::shared_ptr<const void> interaction, Precision precision);

    // Sets the devices that evaluate from now on; null: the threads of this process.
    void use_devices(const std::shared_ptr<DeviceNeighbours>& neighbours);
    // True if the threads of this process evaluate, as they do for a device in steps of few active rows.
    bool on_host() const { return launch_ == nullptr || launch_->left_to_host(); }

    // Reads the columns that the interaction needs, and sends ghosts to other ranks: collective if the neighbourhood
    // is. Throws InputError if a column that is read is missing or, but for positions, not finite. some: the rows that
    // are evaluated, which stays until finish; null: all. On a rank alone a device begins at once; on several ranks it
    // begins in finish, when the ghosts have arrived.
    void begin(const Neighbourhood& neighbourhood, const ParticleSet& particles,
               std::span<const Prediction> predictions, Phases& phases, const NeighbourSelection* some = nullptr);
    // True if this evaluation of some rows reads their blocks alone: on a rank alone, after others.
    bool reads_some(const Neighbourhood& neighbourhood) const;
    // Sums are added to the columns of the outcome, or replace the values there. Maxima and minima always replace them.
    enum class Sums { add, replace };

    // Writes the outcome of each row that was evaluated. Collective, like begin.
    Work finish(const Neighbourhood& neighbourhood, ParticleSet& particles, Sums sums, Phases& phases);

    // Ends the evaluation that was begun, without its sums. Collective if finish is.
    void abandon() {
        if (exchange_ != nullptr) exchange_->finish();
        exchange_.reset();
    }

    const NeighbourKernels& kernels() const { return kernels_; }
    const void* interaction() const { return interaction_.get(); }

  private:
    bool single_suits_all(const Neighbourhood& neighbourhood) const;
    void read(const ParticleSet& particles, std::span<const Prediction> predictions,
              std::span<const std::uint32_t> order);
    void launch(const Neighbourhood& neighbourhood, Phases& phases);
    void receive(const Neighbourhood& neighbourhood, Phases& phases);
    void point_to_columns(NeighbourScene& scene);
    NeighbourKernels::Evaluate kernel_of(const Neighbourhood& neighbourhood, std::size_t group) const;
    template <class KernelOf>
    Work evaluate_groups(NeighbourScene scene, const ClusterLists& clusters, KernelOf&& kernel_of, Phases& phases);

    NeighbourKernels kernels_;
    std::shared_ptr<const void> interaction_;
    Precision precision_;
    bool single_ = true;      // the precision of the evaluation that was begun
    bool evaluated_ = false;  // at least once
    SortedColumns columns_;
    SourceRows rows_;                           // j-particles, for kernels of the host
    std::vector<const double*> components_;     // components of columns_
    std::vector<ResultComponent> outcome_;      // components of the results
    const NeighbourSelection* some_ = nullptr;  // the rows, from begin to finish; null: all
    std::unique_ptr<Exchange> exchange_;        // the exchange of ghosts; null: no exchange is under way
    std::vector<Work> group_work_;              // one for each group
    std::vector<Workspace> workspaces_;         // one for each thread
    std::unique_ptr<NeighbourLaunch> launch_;   // on devices; null without devices
};

}  // namespace trellis
