// Sorts by key and running sums, compared with std::stable_sort and std::exclusive_scan.
#pragma once

#include <memory>

#include "checks.hpp"
#include "trellis/devices/device.hpp"

void check_order(Checks& checks, const std::shared_ptr<trellis::Device>& device, bool small);
