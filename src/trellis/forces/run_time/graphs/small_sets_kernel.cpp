#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/run_time/graphs/on_processor.hpp"
#include "trellis/forces/run_time/graphs/pair_batch.hpp"
#include "trellis/forces/run_time/graphs/set_lists.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

// The sets that one thread computes, one after the other.
class SetsOfThread {
  public:
    SetsOfThread(const PairGraph& graph, const SetResults& results, bool excluding, const KernelCall& call)
        : graph_(graph),
          results_(results),
          call_(call.get<SmallSetsCall>()),
          columns_(reinterpret_cast<double*>(call.memory[1])),
          interactions_(reinterpret_cast<const double*>(call.memory[2])),
          potentials_(reinterpret_cast<double*>(call.memory[3])),
          lists_(excluding ? reinterpret_cast<const SetLists*>(call.memory[4]) : nullptr),
          numbers_(excluding ? reinterpret_cast<const std::uint32_t*>(call.memory[5]) : nullptr),
          values_(excluding ? reinterpret_cast<const double*>(call.memory[6]) : nullptr),
          stride_(row_stride_of(graph.components)) {}

    void compute(std::size_t number, const SmallSet& set) {
        const double* interaction = interactions_ + set.interaction * call_.stride;
        if (set.wanted == 0 || interaction[0] != static_cast<double>(call_.graph)) return;
        if (batch_ == nullptr || set.interaction != of_interaction_)
            batch_ = std::make_unique<PairBatch<float>>(graph_, interaction + before_parameters);
        of_interaction_ = set.interaction;
        batch_->take_nearest_images(set.box);
        write_rows(set);
        const auto row = [&](std::size_t k) { return rows_.data() + k * stride_; };
        for (std::size_t first = 0; first < set.count; first += at_once) {
            const auto own = [&](std::size_t i) { return row(first + i); };
            const std::size_t count = std::min(at_once, set.count - first);
            batch_->begin(count, own, own);
            set_factors(number, set, first, count);
            batch_->add(set.count, row, [&](std::size_t i, std::size_t j) { return factors_[i * set.count + j]; });
            for (std::size_t i = 0; i < count; ++i) put_outcome(i, set.first + first + i);
        }
    }

  private:
    static constexpr std::size_t at_once = 16;  // i-particles

    // The fields of all particles, with positions relative to the reference of the set.
    void write_rows(const SmallSet& set) {
        rows_.assign(set.count * stride_, 0);
        for (std::size_t c = 0; c < graph_.components; ++c) {
            const double* column = columns_ + call_.columns_of[c] * call_.rows + set.first;
            const double origin = c < 3 ? column[set.reference] : 0, side = c < 3 ? set.box[c] : 0;
            for (std::size_t k = 0; k < set.count; ++k) {
                double value = column[k] - origin;
                if (side > 0) value -= side * std::floor(value / side + 0.5);
                rows_[k * stride_ + place_in_row(c)] = static_cast<float>(value);
            }
        }
    }

    // The factors of all pairs of the i-particles from `first` on.
    void set_factors(std::size_t number, const SmallSet& set, std::size_t first, std::size_t count) {
        factors_.assign(count * set.count, 1);
        for (std::size_t i = 0; i < count; ++i) factors_[i * set.count + first + i] = 0;
        if (lists_ == nullptr) return;
        const SetLists& lists = lists_[number * call_.interactions + set.interaction];
        const CheckedLists checked(lists, numbers_, call_.numbers, call_.values);
        for (std::size_t i = 0; i < count; ++i)
            checked.each(first + i, [&](std::uint32_t other, std::uint64_t value) {
                if (other < set.count) factors_[i * set.count + other] = static_cast<float>(values_[value]);
            });
    }

    // slot: of i-particle i of the batch.
    void put_outcome(std::size_t i, std::size_t slot) {
        potentials_[slot] = batch_->outcome(i, results_.potential);
        for (std::size_t axis = 0; axis < 3; ++axis)
            columns_[(call_.acceleration + axis) * call_.rows + slot] =
                batch_->outcome(i, results_.acceleration + axis);
    }

    const PairGraph& graph_;
    const SetResults& results_;
    const SmallSetsCall call_;
    double* columns_;
    const double* interactions_;
    double* potentials_;
    const SetLists* lists_;  // of excluded pairs; null without any
    const std::uint32_t* numbers_;
    const double* values_;
    const std::size_t stride_;
    std::unique_ptr<PairBatch<float>> batch_;  // with the parameters of of_interaction_
    std::uint64_t of_interaction_ = 0;
    std::vector<float> rows_, factors_;
};

void compute_sets(const PairGraph& graph, const SetResults& results, bool excluding, const KernelCall& call) {
    const auto* sets = reinterpret_cast<const SmallSet*>(call.memory[0]);
    std::vector<std::unique_ptr<SetsOfThread>> all(static_cast<std::size_t>(thread_count()));
    parallel_tasks(call.get<SmallSetsCall>().sets, [&](std::size_t k, int thread) {
        auto& own = all[static_cast<std::size_t>(thread)];
        if (own == nullptr) own = std::make_unique<SetsOfThread>(graph, results, excluding, call);
        own->compute(k, sets[k]);
    });
}

}  // namespace

GraphOnProcessor small_sets_on_processor(PairGraph graph, SetResults results, bool excluding) {
    return [graph = std::move(graph), results, excluding](const KernelCall& call) {
        compute_sets(graph, results, excluding, call);
    };
}

TRELLIS_ISA_END
}  // namespace trellis
