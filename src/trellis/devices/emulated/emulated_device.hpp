// An emulated device, for programs that will run on devices that are not there: each kernel takes a given time, one
// after another. Kernels are those of the processor and compute, or results are random numbers. All emulated devices of
// a process share one thread, so that one process may hold thousands of them; copies to and from the device take no
// time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "trellis/devices/local_device.hpp"

namespace trellis {

// True if the name begins as that of an emulated device, well formed or not.
bool is_emulated(std::string_view name);

// kind: rehearsal:SECONDS, whose kernels compute and take that long at least, or rehearsal:SECONDS:SEED, whose kernels
// do nothing: downloads are random numbers, drawn for each queue, which are finite in either precision and of size 1 to
// 2 in single precision. memory: bytes. threads: their number for each kernel. name: `kind`, or the name of a copy.
// Throws InputError for another kind.
std::shared_ptr<LocalDevice> make_emulated_device(const std::string& kind, std::size_t memory, int threads,
                                                  const std::string& name);

}  // namespace trellis
