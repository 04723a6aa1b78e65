// The kernels of the GRAPE calls on a device.
#pragma once

#include <memory>

#include "checks.hpp"
#include "trellis/devices/device.hpp"

void check_grape(Checks& checks, const std::shared_ptr<trellis::Device>& device, bool small);
