// The kinds of devices: GPUs and processors; those of one kind give the same bits.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "trellis/devices/devices.hpp"

namespace trellis {

// Between the names of devices that compute the same, whose name is all of them (RedundantDevice).
inline constexpr std::string_view joins_names = " + ";

// True if the name is that of a device, of this machine or another, with kernels that are made of graphs
// (kernel_text.hpp): a GPU or a processor.
bool names_graph_device(std::string_view name);
// True if the name is that of a GPU, of this machine or another: it runs kernels as texts, too.
bool names_gpu(std::string_view name);
// True if all names are those of GPUs, and there is one.
bool name_gpus(std::span<const std::string> names);
bool are_gpus(const Devices& devices);

// "a processor", or the model of a GPU. Processors give the same bits if they have the same instruction set, which is
// not known here.
std::string kind_of(const Device& device);

}  // namespace trellis
