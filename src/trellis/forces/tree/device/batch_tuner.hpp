// The number of batches in which a step is dispatched, found by trial. More batches overlap the host's work and the
// device's better, fewer have less overhead. Results do not depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace trellis {

class BatchTuner {
  public:
    // The number for the next construction step.
    std::size_t batches() const { return candidates[best_ ? *best_ : next_]; }

    // Notes the time of a construction step with this number of batches, and its pairs. The first step also allocates
    // memory, so it is not counted; nor are steps with less than half of the most pairs, as those of individual steps.
    void note(double seconds, std::uint64_t pairs);

    // True once all numbers have been tried.
    bool done() const { return best_.has_value(); }

  private:
    static constexpr std::size_t candidates[] = {16, 4, 8, 32, 64};

    bool warm_ = false;
    std::uint64_t most_pairs_ = 0;
    std::size_t next_ = 0;
    std::size_t fastest_ = 0;
    double fastest_seconds_ = 0;
    std::optional<std::size_t> best_;
};

}  // namespace trellis
