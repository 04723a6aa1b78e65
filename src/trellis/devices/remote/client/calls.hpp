// The calls of a remote device as they travel, and the answers to them. Calls of one device follow each other in the
// bodies of its frames; the bytes of uploads are the frames' data, in order.
//
// A queue's calls are numbered from 1: uploads, launches, downloads and after. That number stands in the answers.
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

// Memory is known by a number that the client has chosen. memory_wanted 0: as much as the server gives.
struct OpenDevice {
    std::string name;
    std::uint64_t memory_wanted;
};
struct CloseDevice {};
// Asks for Devices.
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
// A part of a copy of numbers in records (packing/moving_numbers.hpp). former: of so many copies before it both ends
// know this part, at most 2, and its bytes are packed; 0: they are as they are.
struct UploadDelta {
    std::uint32_t queue;
    std::uint64_t memory, offset, bytes, packed;
    std::uint32_t value_bytes, values, split, former;
};
// Devices of a connection; more have further connections.
inline constexpr std::size_t most_devices = 64;
// Bytes of former copies that a client may have both ends keep, of each device.
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
// Later calls of the queue wait for the first so many calls of another one.
struct After {
    std::uint32_t queue, other;
    std::uint64_t number;
};
// Asks for Done once all calls of the queue until now are done.
struct Notify {
    std::uint32_t queue;
};

using Call = std::variant<OpenDevice, CloseDevice, MakeQueue, EndQueue, Allocate, Release, Upload, Download, Launch,
                          After, Notify, ListDevices, UploadDelta>;

// The device is there.
struct Opened {
    std::string description;
    std::uint64_t memory;
    std::uint64_t queues_wanted;
};
// The device has failed: nothing is carried out any more, but everything is still answered.
struct Failed {
    std::string failure;
};
// The data of the frame are what this download has read.
struct Downloaded {
    std::uint32_t queue;
    std::uint64_t number, bytes;
};
// The first so many calls of the queue are done; times: since the last Done.
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

// Reads the next one. Throws RunError if the bytes are none.
Call get_call(ByteReader& body);
Answer get_answer(ByteReader& body);

}  // namespace trellis::wire
