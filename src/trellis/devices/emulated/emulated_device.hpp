// A device that rehearses a program for devices that are not there: its kernels take given seconds, one after another.
// They are those of the processor and really compute, or results are drawn from a seeded stream. All devices of a
// process share one thread, so one process may hold thousands of them; copies take no time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "trellis/devices/local_device.hpp"

namespace trellis {

// True if the name is that of a rehearsal device, well formed or not.
bool is_emulated(std::string_view name);

// manner: rehearsal:SECONDS, whose kernels compute and take that long at least, or rehearsal:SECONDS:SEED, whose
// kernels do nothing: what is downloaded is drawn for each queue in turn, finite numbers of either precision, in single
// precision of size 1 to 2. memory: bytes that the device hands out. threads: their number for each kernel. name: that,
// or the name of a copy. Throws InputError for another manner.
std::shared_ptr<LocalDevice> make_emulated_device(const std::string& manner, std::size_t memory, int threads,
                                                  const std::string& name);

}  // namespace trellis
