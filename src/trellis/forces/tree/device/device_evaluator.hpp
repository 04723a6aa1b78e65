// Forces on a device (paper: methods G1, G2, G3), dispatched batch by batch while the host makes the lists of the next
// batch.
#pragma once

#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/forces/tree/compiled_interaction.hpp"
#include "trellis/forces/tree/device/batch_tuner.hpp"
#include "trellis/forces/tree/device/device_batch.hpp"
#include "trellis/forces/tree/evaluator.hpp"

namespace trellis {

class DeviceEvaluator : public Evaluator {
  public:
    // keep_lists: dispatches without a walk will come, so the device had better keep its lists.
    DeviceEvaluator(CompiledInteraction interaction, std::shared_ptr<Device> device, Send send, bool keep_lists);
    ~DeviceEvaluator() override;

    void describe(const ListedTree&, Phases&) override {}
    void describe_imported(const ListedTree&, const ImportedCells&, Phases&) override {}
    const CellMoments& cell_moments() const override { return no_moments_; }
    bool takes_parts() const override { return false; }
    void dispatch(const ListedTree& listed, Walk* walk, Phases& phases) override;
    Work retrieve(const ListedTree& listed, Part part, std::span<const ResultComponent> results,
                  const Meanwhile& meanwhile, Phases& phases) override;

    const DeviceUse* device_use() const override { return &use_; }

  private:
    using Clock = std::chrono::steady_clock;

    // Lists that have been sent, and where among the results those of their i-particles begin.
    struct Sent {
        DeviceLists lists;
        std::size_t first_result;
    };

    void forget();
    void choose_kernel(const ListedTree& listed);
    void write_table(const ListedTree& listed);
    void make_room_for_table(const ListedTree& listed);
    void send_table(const ListedTree& listed);
    void send_all(const ListedTree& listed, Walk* walk, Phases& phases);
    void send_branches(const ListedTree& listed, std::size_t begin, std::size_t end, Phases& phases);
    void use_queues(std::size_t count);
    bool fits(const DeviceLists& lists, std::size_t own_rows);
    DeviceBatch& next_batch();
    void launch(DeviceBatch& batch, const Sent& sent);
    void wait();
    std::exception_ptr settle();

    CompiledInteraction interaction_;
    std::shared_ptr<Device> device_;
    Send send_;
    bool keep_lists_;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::size_t queues_in_use_ = 0;
    bool lists_stay_ = false;  // on the device until the next construction: each batch has its own memory

    const ForceKernels* kernels_ = nullptr;  // of the precision in use
    BatchKernel kernel_;
    HostMemory host_table_, host_results_;
    DeviceMemory table_;
    Mark table_sent_;
    std::vector<std::uint32_t> places_;  // see select_rows
    std::deque<DeviceBatch> batches_;
    std::deque<Sent> sent_;
    std::size_t results_sent_ = 0;
    BatchTuner tuner_;
    NoCellMoments no_moments_;
    bool constructing_ = false;
    Clock::time_point dispatched_;
    DeviceUse use_;
};

}  // namespace trellis
