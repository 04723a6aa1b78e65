// Forces on devices (paper: methods G1, G2, G3), dispatched batch by batch while the host makes the lists of the next
// batch. Several devices share the groups by numbers of pairs; the forces on a group depend neither on its device nor
// on its batch. Of orders above 1 a GPU makes the moments of cells (P2M, M2M), and the host those of cells that go to
// other ranks, and those for a device that is a processor.
#pragma once

#include <chrono>
#include <deque>
#include <exception>
#include <optional>
#include <vector>

#include "trellis/devices/devices.hpp"
#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/forces/tree/device/batch_tuner.hpp"
#include "trellis/forces/tree/device/device_share.hpp"
#include "trellis/forces/tree/evaluator.hpp"
#include "trellis/forces/tree/host/host_tables.hpp"

namespace trellis {

class DeviceEvaluator : public Evaluator {
  public:
    // devices: at least one. keep_lists: dispatches without a walk will follow.
    DeviceEvaluator(CompiledInteraction interaction, Devices devices, const ForceChoice& choice, Send send,
                    bool keep_lists);
    DeviceEvaluator(const DeviceEvaluator&) = delete;  // the shares refer to the kernel
    DeviceEvaluator& operator=(const DeviceEvaluator&) = delete;

    void describe(const ListedTree& listed, bool shared, Phases& phases) override;
    void describe_imported(const ListedTree& listed, const ImportedCells& imported, Phases& phases) override;
    const CellMoments& cell_moments() const override;
    bool takes_parts() const override { return false; }
    void dispatch(const ListedTree& listed, std::optional<Walk> walk, Phases& phases) override;
    Work retrieve(const ListedTree& listed, Part part, std::span<const ResultComponent> results,
                  const Meanwhile& meanwhile, Phases& phases) override;

    const DeviceUse* device_use() const override { return &use_; }

  private:
    using Clock = std::chrono::steady_clock;

    void choose_kernel(const ListedTree& listed);
    void write_table(const ListedTree& listed);
    void make_moments(const ListedTree& listed, Phases& phases);
    void describe_cells(const ListedTree& listed, bool new_lists, Phases& phases);
    void copy_moments(const ListedTree& listed);
    void copy_frames(const ListedTree& listed);
    bool lists_stay() const;
    void send_all(const ListedTree& listed, std::optional<Walk>& walk, Phases& phases);
    void share(std::span<const DeviceLists> parts);
    void note_use();
    void wait();
    std::exception_ptr settle();
    void check_finite() const;
    Work write_back(const DeviceShare& share, std::span<const std::uint32_t> order,
                    std::span<const ResultComponent> results) const;

    CompiledInteraction interaction_;
    Devices devices_;
    int digits_;  // see write_rows
    bool keep_lists_;
    bool has_moments_;                       // far cells are not rows
    HostTables moments_;                     // of far cells, if the host makes them
    bool made_by_host_ = false;              // in this step, by make_moments
    std::vector<double> units_;              // of the cells, if the devices make their moments
    const ForceKernels* kernels_ = nullptr;  // of the precision in use
    BatchKernel kernel_;
    HostMemory host_table_, host_cells_, host_results_;  // of cells: rows with moments, or frames
    FarTables far_;
    std::byte* results_end_ = nullptr;  // end of the results that were asked for
    std::deque<DeviceShare> shares_;    // one for each device; declared after the memory that they use
    BatchTuner tuner_;
    NoCellMoments no_moments_;
    bool constructing_ = false;
    Clock::time_point dispatched_;
    DeviceUse use_;
};

}  // namespace trellis
