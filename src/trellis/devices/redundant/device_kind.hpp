// The kinds of devices: those of one kind give the same bits.
#pragma once

#include <string>
#include <string_view>

#include "trellis/devices/device.hpp"

namespace trellis {

// True if the name is that of a GPU, of this machine or another.
bool names_gpu(std::string_view name);

// "a processor", or the model of a GPU. Processors give the same bits if they have the same instruction set, which is
// not known here.
std::string kind_of(const Device& device);

}  // namespace trellis
