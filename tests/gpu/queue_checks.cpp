#include "queue_checks.hpp"

#include <numeric>
#include <vector>

#include "trellis/devices/remote/open.hpp"

using namespace trellis;

namespace {

// Bytes are copied to the device and back, through another queue that waits for a mark, and are counted.
void check_copies(Checks& checks, const std::string& name) {
    const auto device = open_device(name);
    const auto first = device->make_queue(), second = device->make_queue();
    constexpr std::size_t count = 1 << 20;
    const HostMemory from(device, count * sizeof(std::uint32_t)), to(device, count * sizeof(std::uint32_t));
    auto* sent = reinterpret_cast<std::uint32_t*>(from.begin());
    auto* got = reinterpret_cast<std::uint32_t*>(to.begin());
    const DeviceMemory memory(device, from.bytes());
    bool equal = true;
    for (std::uint32_t round = 0; round < 20; ++round) {
        std::iota(sent, sent + count, round);
        std::fill(got, got + count, 0);
        first->upload(memory, 0, {from.begin(), from.bytes()});
        const Mark uploaded = first->mark();
        second->after(uploaded);
        second->download(memory, 0, {to.begin(), to.bytes()});
        second->wait();
        equal = equal && std::equal(sent, sent + count, got);
        if (round % 2 == 1) first->wait(uploaded);  // in even rounds a later mark is waited for instead
    }
    first->wait();
    second->wait(Mark{second.get(), 0});
    checks.that(equal, "copies ordered by a mark of another queue");
    const QueueTimes up = first->take_times(), down = second->take_times();
    checks.that(up.bytes_up == 20 * from.bytes() && down.bytes_down == 20 * to.bytes(), "bytes are counted");
    checks.that(up.upload > 0 && down.download > 0, "copies are timed",
                std::to_string(1e-9 * static_cast<double>(up.bytes_up) / up.upload) + " GB/s to the device, " +
                    std::to_string(1e-9 * static_cast<double>(down.bytes_down) / down.download) + " from it");
    checks.that(first->take_times().bytes_up == 0, "times are taken once");
}

template <class Body>
std::string message_of(Body&& body) {
    try {
        body();
    } catch (const DeviceError& error) {
        return error.what();
    }
    return "(no error)";
}

void check_failures(Checks& checks, const std::string& name) {
    const auto device = open_device(name, 1 << 20);
    checks.that(device->memory_bytes() == 1 << 20, "memory is limited on request");
    {
        const DeviceMemory half(device, 1 << 19);
        const std::string wanted =
            "device " + name + " is out of memory: 600000 bytes asked for, 524288 of 1048576 left";
        const std::string message = message_of([&] { const DeviceMemory more(device, 600000); });
        checks.that(message == wanted, "out of memory", message);
    }
    checks.that(device->memory_left() == 1 << 20, "memory comes back");

    const auto queue = device->make_queue(), other = device->make_queue();
    queue->launch("no such kernel", {}, {});
    const std::string message = message_of([&] { queue->wait(); });
    checks.that(message == "device " + name + " has no kernel 'no such kernel'", "an unknown kernel", message);
    checks.that(message_of([&] { other->wait(); }) == message, "a failure is that of all queues of a device");
}

}  // namespace

void check_queues(Checks& checks, const std::string& device_name) {
    check_copies(checks, device_name);
    check_failures(checks, device_name);
}
