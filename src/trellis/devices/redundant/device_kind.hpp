// The kinds of devices: those of one kind give the same bits.
#pragma once

#include <string>
#include <string_view>

#include "trellis/devices/device.hpp"

namespace trellis {

// True if a name is that of a GPU, of this machine or another.
bool names_gpu(std::string_view name);

// "a processor", or what a GPU calls itself. Processors give the same bits where they have the same instruction set,
// of which nothing is known here.
std::string kind_of(const Device& device);

}  // namespace trellis
