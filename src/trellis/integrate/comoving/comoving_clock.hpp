// The time of a run in expanding space, which is the scale factor, and the lengths of its steps.
#pragma once

#include "trellis/integrate/comoving/expansion.hpp"
#include "trellis/integrate/step_clock.hpp"

namespace trellis {

// time() is the scale factor, allowed() the limit of a step in ln a.
class ComovingClock final : public StepClock {
  public:
    explicit ComovingClock(const Expansion& expansion) : StepClock(std::nullopt), expansion_(expansion) {}

    bool limited_by_forces() const override { return expansion_.steps_are_chosen(); }
    double share_allowed(double time, double longest) const override;

  private:
    double next_allowed(double longest) const override;
    StepLength next_step(double allowed, double end) const override { return Expansion::step(time(), allowed, end); }
    StepFactors factors_of(double begin, const StepLength& step) const override {
        return expansion_.factors(begin, step.end);
    }
    double time_within(double share) const override;
    double length_of(double allowed) const override { return time() * allowed; }

    Expansion expansion_;
};

}  // namespace trellis
