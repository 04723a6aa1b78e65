// Wire format of the calls to a remote device and of the answers. The calls of one device follow each other in the
// bodies of its frames; the bytes of uploads are the frames' data, in the same order.
//
// The calls of a queue are numbered from 1: uploads, launches, downloads and After. Answers contain that number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "trellis/devices/device.hpp"
#include "trellis/devices/remote/client/list_devices.hpp"
#include "trellis/packing/bytes.hpp"

namespace trellis::wire {

// The client chooses the numbers of memory and queues. memory_wanted: bytes; 0: as much as the server gives.
struct OpenDevice {
    std::string name;
    std::uint64_t memory_wanted;
};
struct CloseDevice {};
// The answer is Devices.
struct ListDevices {};
struct MakeQueue {
    std::uint32_t queue;
};
struct EndQueue {
    std::uint32_t queue;
};
struct Allocate {
    std::uint64_t memory, bytes;
};
struct Release {
    std::uint64_t memory;
};
struct Upload {
    std::uint32_t queue;
    std::uint64_t memory, offset, bytes;
};
// A part of a copy of numbers in records (packing/moving_numbers.hpp). former: number of previous copies of this part,
// at most 2, from which the packed bytes are predicted; 0: the bytes are not packed.
struct UploadDelta {
    std::uint32_t queue;
    std::uint64_t memory, offset, bytes, packed;
    std::uint32_t value_bytes, values, split, former;
};
// The most devices of one connection; further devices have further connections.
inline constexpr std::size_t most_devices = 64;
// The most bytes of previous copies that both ends keep for each device.
inline constexpr std::uint64_t most_delta_base_bytes = 1 << 30;
struct Download {
    std::uint32_t queue;
    std::uint64_t memory, offset, bytes;
};
struct Launch {
    std::uint32_t queue;
    std::string kernel;
    std::vector<std::byte> constants;
    std::vector<std::uint64_t> memory;
};
// The kernel that launches call so is made of this graph (devices/kernel_text.hpp). If it cannot be, the device
// fails.
struct MakeKernel {
    std::string kernel;
    std::vector<std::byte> graph;
};
// Later calls of the queue wait for the first `number` calls of the queue `other`.
struct After {
    std::uint32_t queue, other;
    std::uint64_t number;
};
// The answer is Done, once all calls of the queue until now are done.
struct Notify {
    std::uint32_t queue;
};

using Call = std::variant<OpenDevice, CloseDevice, MakeQueue, EndQueue, Allocate, Release, Upload, Download, Launch,
                          After, Notify, ListDevices, UploadDelta, MakeKernel>;

// The device has been opened.
struct Opened {
    std::string description;
    std::uint64_t memory;
    std::uint64_t queues_wanted;
};
// The device has failed: calls are not carried out any more, but still answered.
struct Failed {
    std::string failure;
};
// The data of the frame are the bytes of this download.
struct Downloaded {
    std::uint32_t queue;
    std::uint64_t number, bytes;
};
// The first `number` calls of the queue are done. times: since the last Done.
struct Done {
    std::uint32_t queue;
    std::uint64_t number;
    QueueTimes times;
};

// The devices that the server lends.
struct Devices {
    std::vector<LentDevice> entries;
};

using Answer = std::variant<Opened, Failed, Downloaded, Done, Devices>;

void put(ByteWriter& body, const Call& call);
void put(ByteWriter& body, const Answer& answer);

// Reads the next call or answer. Throws RunError if the bytes are malformed.
Call get_call(ByteReader& body);
Answer get_answer(ByteReader& body);

}  // namespace trellis::wire
