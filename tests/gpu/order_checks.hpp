// Sorts by key and running sums, compared with std::stable_sort and std::exclusive_scan.
#pragma once

#include <cstdint>
#include <memory>

#include "checks.hpp"
#include "trellis/devices/device.hpp"

// most: keys and words at once. small: leaves out all sizes of a million but the largest.
void check_order(Checks& checks, const std::shared_ptr<trellis::Device>& device, std::uint64_t most, bool small);
