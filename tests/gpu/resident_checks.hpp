// Method G4: tree, lists and steps computed on a device, against those computed on the processor.
#pragma once

#include <memory>

#include "checks.hpp"
#include "trellis/devices/device.hpp"

// small: a few cases, for a run under a checking tool.
void check_resident(Checks& checks, const std::shared_ptr<trellis::Device>& device, bool small);
