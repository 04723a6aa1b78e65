// A force that is made with other settings from given times on.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "trellis/forces/decorators/forwarding_force.hpp"

namespace trellis {

// The stages are one force at other accuracies: they have the same columns, reuse lists for as many steps, allow the
// same steps and have the same reference. The time alone decides which stage computes, and lists go over to the next
// one by the columns that a checkpoint keeps: a resumed run has the same bits.
class ScheduledForce final : public ForwardingForce {
  public:
    using Make = std::function<std::unique_ptr<Force>(std::size_t stage, const Devices& devices)>;

    // begins: the time at which each stage begins, rising; the first stage serves all times before, too. make: the
    // force of a stage. Throws InputError if there is no stage or times do not rise, and what make throws.
    ScheduledForce(std::vector<double> begins, Make make, const Devices& devices);

    void attach(ParticleSet& particles, std::size_t number) override;
    void resume(ParticleSet& particles, double time, const Ranks* ranks) override;
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override;
    Work retrieve(ParticleSet& particles, Phases& phases) override;
    const ListUse& list_use() const override { return list_use_; }

  private:
    Force& inner() override { return *force_; }
    const Force& inner() const override { return *force_; }
    std::size_t stage_at(double time) const;
    void prepare_stage_at(ParticleSet& particles, double time);

    std::vector<double> begins_;
    Make make_;
    std::unique_ptr<Force> force_;  // of the present stage
    std::size_t stage_ = 0;
    std::size_t number_ = 0;      // see attach
    bool attached_ = false;       // the present stage's force
    ListUse list_use_, earlier_;  // earlier_: of the stages before
};

}  // namespace trellis
