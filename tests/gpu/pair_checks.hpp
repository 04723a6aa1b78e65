// Expanded interaction lists, and forces, against a plain loop in double precision.
#pragma once

#include <memory>

#include "checks.hpp"
#include "trellis/devices/device.hpp"

// small: a few cases, for a run under a checking tool.
void check_pairs(Checks& checks, const std::shared_ptr<trellis::Device>& device, bool small);
