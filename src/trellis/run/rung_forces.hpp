// The forces among particles of short steps, for one longest step: those that are sums over pairs. All others act once
// in each longest step.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/integrate/rungs/level_forces.hpp"
#include "trellis/run/all_forces.hpp"
#include "trellis/run/domains.hpp"

namespace trellis {

class RungForces final : public LevelForces {
  public:
    // All of these outlive it.
    RungForces(const std::vector<std::shared_ptr<Force>>& forces, const Domains& domains, Phases& phases);

    std::span<const std::string> results() const override { return results_; }
    void compute(ParticleSet& level, std::span<const double> previous, double time) override;
    void allowed_steps(const ParticleSet& all, double time, std::span<const std::uint32_t> rows,
                       std::span<double> steps) const override;
    void add_over_ranks(RungCounts& counts) override;
    double largest_on_ranks(double here) override;
    bool on_any_rank(bool here) override;

    // The work so far: of this rank, and of all.
    const Work& work() const { return work_; }
    const Work& total_work() const { return total_work_; }

  private:
    const std::vector<std::shared_ptr<Force>>& all_;
    const Domains& domains_;
    Phases& phases_;
    AllForces among_level_;
    std::vector<std::string> results_;  // of these, each once
    Work work_, total_work_;
};

}  // namespace trellis
