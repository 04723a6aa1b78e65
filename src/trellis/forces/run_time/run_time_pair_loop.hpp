// Pairs of a group's i-particles with staged j-particles, by functions that are compiled at run time. For kernel
// sources only.
#pragma once

#include <algorithm>

#include "trellis/forces/run_time/run_time_pair.hpp"
#include "trellis/forces/tree/expansions/expansion.hpp"
#include "trellis/forces/tree/kernels/pair_loop.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// The sums of an i-particle, as BranchForce reads them.
struct RunTimeSums {
    double values[most_run_time_components];
    std::size_t count;

    template <class Visit>
    void each_component(Visit&& visit) {
        for (std::size_t c = 0; c < count; ++c) visit(values[c], c);
    }
};

template <class R>
class PairLoop<RunTimePair, R> : public PairStage<R> {
  public:
    using Stage = PairStage<R>;
    using Stage::chunk;
    using Stage::chunk_stride;
    using Stage::width;

    // See PairLoop.
    static bool available(const RunTimePair& pair) { return pair.loops<R>().add_pairs != nullptr; }

    static std::size_t workspace_bytes(const RunTimePair& pair, std::size_t largest_group) {
        return Stage::workspace_bytes(pair.source_components, pair.target_components.size(), largest_group) +
               Workspace::bytes_of<R>(largest_group * pair.outcome_components() * width);
    }

    PairLoop(const RunTimePair& pair, std::size_t largest_group, Workspace& workspace)
        : Stage(pair.source_components, pair.target_components.size(), largest_group, workspace),
          pair_(pair),
          results_(pair.outcome_components()),
          sums_(workspace.take<R>(largest_group * results_ * width)) {}

    void begin(std::size_t count) {
        this->begin_group(count);
        std::fill_n(sums_, count * results_ * width, R(0));
    }

    void staged(std::size_t count) {
        this->filled_ += count;
        if (this->filled_ == chunk) flush();
    }

    void flush() {
        if (this->filled_ == 0) return;
        pair_.loops<R>().add_pairs(pair_.context(), this->targets_, this->stride_, this->count_, this->chunk_,
                                   chunk_stride, this->filled_, sums_);
        this->filled_ = 0;
    }

    void add_own(std::size_t first, std::size_t count) {
        pair_.loops<R>().add_own(pair_.context(), this->targets_, this->stride_, this->count_, this->chunk_,
                                 chunk_stride, count, sums_, first);
    }

    // The finished sum of i-particle i.
    RunTimeSums sum(std::size_t i) const {
        RunTimeSums sum{.values = {}, .count = results_};
        for (std::size_t c = 0; c < results_; ++c)
            sum.values[c] = sum_of_lanes<R>(load(sums_ + (i * results_ + c) * width));
        double target[most_run_time_components];
        for (const std::size_t c : pair_.finishing) target[c] = this->target(c)[i];
        pair_.finish(pair_.context(), target, sum.values);
        return sum;
    }

    // Adds the effect of the far field on i-particle i to its finished sum.
    void add_far_field(std::size_t i, const FieldValue<double>& value, RunTimeSums& sum) const {
        double target[most_run_time_components];
        for (const std::size_t c : pair_.finishing) target[c] = this->target(c)[i];
        const double field[] = {value.phi, value.gradient.x, value.gradient.y, value.gradient.z};
        pair_.far_field(pair_.context(), target, field, sum.values);
    }

  private:
    const RunTimePair& pair_;
    std::size_t results_;  // components of the result
    R* sums_;              // for each i-particle and component, one partial sum a lane
};

TRELLIS_ISA_END
}  // namespace trellis
