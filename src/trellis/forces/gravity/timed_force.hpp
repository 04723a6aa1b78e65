// What a force has whose settings are other ones at other times.
#pragma once

namespace trellis {

class TimedForce {
  public:
    virtual ~TimedForce() = default;

    // The time at which a run goes on: limits of steps are those of that time before anything is dispatched.
    virtual void set_time(double time) = 0;
};

}  // namespace trellis
