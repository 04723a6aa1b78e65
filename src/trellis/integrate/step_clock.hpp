// The time of a run, and the lengths of its steps.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "trellis/forces/allowed_steps.hpp"
#include "trellis/integrate/step_factors.hpp"
#include "trellis/integrate/step_length.hpp"

namespace trellis {

// In expanding space see comoving/comoving_clock.hpp.
class StepClock {
  public:
    // timestep: the length of all steps, above 0, in the time unit of the particles. If it is empty, each step is as
    // long as the forces allow when it begins, and at most step_growth times as long as the one before allowed; the
    // first is the share first_share of that. Throws InputError for a timestep out of range.
    explicit StepClock(std::optional<double> timestep);
    virtual ~StepClock() = default;

    double time() const { return time_; }
    // Sets the time at which the first step begins.
    void set_time(double time) { origin_ = time_ = time; }
    // Continues from a checkpoint. step_count: the number of steps since the time that set_time has set. allowed: the
    // value of allowed() then; infinite before the first step.
    void resume(double time, std::uint64_t step_count, double allowed);

    bool fixed() const { return fixed_.has_value(); }
    // The length of all steps; if they are chosen, of the step under way or the last one: 0 before the first.
    double timestep() const { return fixed_.value_or(step_.length); }
    // The limit of the last chosen step, which may have been shorter to end in time; infinite before the first.
    double allowed() const { return allowed_; }
    // True if steps are chosen by the limit that forces set.
    virtual bool limited_by_forces() const { return !fixed(); }

    // Chooses the next step. longest: the longest time that it may take, infinite without a limit; not read where all
    // steps have one length. end: later than time(), or infinite; the step does not go beyond it, and the last of
    // several ends there exactly. Throws InputError if a step is to be chosen and no force limits it, RunError if the
    // limit is too short for the time to move on.
    void begin_step(double longest, double end);
    const StepLength& step() const { return step_; }
    const StepFactors& factors() const { return factors_; }
    // Parts of the step under way, which are even in time, or in ln a where space expands. share: of the step, from 0,
    // its beginning, to 1, its end.
    double time_at(double share) const { return share == 0 ? time_ : time_within(share); }
    StepFactors factors(double begin_share, double end_share) const;
    // The part of this step that a particle may take, which begins at `time`, where the forces allow it a time of
    // `longest`; may be above 1, or infinite.
    virtual double share_allowed(double /*time*/, double longest) const { return longest / step_.length; }
    void end_step() {
        time_ = step_.end;
        ++step_count_;
    }

  protected:
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

  private:
    virtual double next_allowed(double longest) const;
    virtual StepLength next_step(double allowed, double end) const;
    virtual StepFactors factors_of(double begin, const StepLength& step) const;
    virtual double time_within(double share) const { return share == 1 ? step_.end : time_ + share * step_.length; }
    // The length of a step of the allowed size from time() on.
    virtual double length_of(double allowed) const { return allowed; }

    std::optional<double> fixed_;
    double time_ = 0, origin_ = 0;
    std::uint64_t step_count_ = 0;
    double allowed_ = unlimited;
    StepLength step_{0, 0};
    StepFactors factors_{};
};

}  // namespace trellis
