// The longest step of individual time steps was abandoned, since the caller asked for it.
#pragma once

#include "trellis/base/error.hpp"

namespace trellis {

// Thrown on all ranks at the same part of the step.
class StepAbandoned : public RunError {
  public:
    StepAbandoned() : RunError("a time step was abandoned: all is as it was when it began") {}
};

}  // namespace trellis
