// The times, bytes and round trips of a device's queues, as a Python dictionary.
#pragma once

#include <nanobind/nanobind.h>

#include "trellis/devices/device.hpp"

inline void add_facts(nanobind::dict& facts, const trellis::QueueTimes& times) {
    facts["upload_seconds"] = times.upload;
    facts["kernel_seconds"] = times.kernel;
    facts["download_seconds"] = times.download;
    facts["bytes_up"] = times.bytes_up;
    facts["bytes_down"] = times.bytes_down;
    facts["round_trips"] = times.round_trips;
}
