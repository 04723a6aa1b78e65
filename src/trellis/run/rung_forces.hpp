// The forces within one longest step: among particles of short steps those that are sums over pairs, and at particles'
// own steps those that compute active rows. All others act once in each longest step.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/integrate/rungs/level_forces.hpp"
#include "trellis/run/all_forces.hpp"
#include "trellis/run/domains.hpp"
#include "trellis/run/own_results.hpp"

namespace trellis {

class RungForces final : public LevelForces {
  public:
    // All of these outlive it. evolutions: of all forces. abandoned: true if this rank asks to abandon the step; may be
    // empty.
    RungForces(const std::vector<std::shared_ptr<Force>>& forces, std::span<const Evolution> evolutions,
               OwnResults& own_results, const Domains& domains, Phases& phases, const std::function<bool()>& abandoned);

    // Throws InputError for a force that does not go with individual steps of this order, on these ranks.
    static void check(const Force& force, unsigned order, const Comm& comm);

    std::span<const std::string> results() const override { return results_; }
    std::span<const Evolution> kicks() const override { return kicks_; }
    const LevelCosts& costs() const override { return costs_; }
    double range() const override;
    void compute(ParticleSet& level, std::span<const double> previous, double time) override;
    void compute_at_own_steps(ParticleSet& all, std::span<const std::uint32_t> rows, double time,
                              const RungTimes& rungs) override;
    void add_at_own_steps(const ParticleSet& all, std::span<const std::uint32_t> rows, std::string_view result,
                          std::span<double> sums) const override;
    void allowed_steps(const ParticleSet& all, double time, double scale, std::span<const std::uint32_t> rows,
                       std::span<double> steps) const override;
    void allowed_at_own_steps(const ParticleSet& all, double time, std::span<const std::uint32_t> rows,
                              std::span<double> steps) const override;
    void allowed_steps_of_level(const ParticleSet& level, double time, double scale,
                                std::span<double> steps) const override;
    Comm& ranks() const override { return alone_ ? *this_rank_ : domains_.site(); }
    void set_alone(bool alone) override { alone_ = alone; }
    bool asks_to_abandon() const override { return !has_other_sites() && abandoned_ && abandoned_(); }
    bool has_other_sites() const override { return domains_.comm().spans_sites(); }
    bool on_any_site(bool here) override;

    // The forces that failed in the last computation: see AllForces.
    const std::vector<FailedForce>& failed() const {
        return at_own_steps_.failed().empty() ? among_level_.failed() : at_own_steps_.failed();
    }

    // The work of this rank so far.
    const Work& work() const { return work_; }

  private:
    void clear_results(ParticleSet& level) const;

    const std::vector<std::shared_ptr<Force>>& all_;
    const Domains& domains_;
    Phases& phases_;
    const std::function<bool()>& abandoned_;
    AllForces among_level_, at_own_steps_;
    OwnResults& own_results_;
    std::vector<std::string> results_;  // of both, each once
    std::vector<Evolution> kicks_;
    LevelCosts costs_;
    std::shared_ptr<Comm> this_rank_ = serial_comm();
    bool alone_ = false;
    bool kept_lists_ = false;  // those of forces at own steps may be reused
    Work work_;
};

}  // namespace trellis
