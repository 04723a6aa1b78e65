#include "queue_checks.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "trellis/devices/kernel_text.hpp"
#include "trellis/devices/kernels.hpp"
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

// A kernel as text, for a number of elements that is no multiple of a block's threads.
void check_texts(Checks& checks, const std::string& name) {
    const auto device = open_device(name);
    if (!compiles_texts(*device)) return;
    struct Constants {
        std::uint64_t elements;
        double factor;
    };
    register_kernel_text("check.scale", std::make_shared<const KernelText>(KernelText{
                                            R"(
typedef struct { u64 elements; double factor; } Call;
FUNCTION float root_of(const float x) { return 1 / RSQRT_OF_POSITIVE(x); }
KERNEL void scale(GLOBAL float* values, const Call call)
{
    SHARED float reversed[256];
    const u64 k = (u64)BLOCK_X * 256 + THREAD;
    reversed[255 - THREAD] = k < call.elements ? root_of(values[k]) : (float)INFINITE;
    BARRIER;
    const float mine = reversed[255 - THREAD];
    if (k < call.elements) values[k] = (float)call.factor * mine;
}
)",
                                            "scale", [](std::span<const std::byte> constants) {
                                                const auto count = KernelCall{constants, {}}.get<Constants>().elements;
                                                return std::array<std::size_t, 2>{(count + 255) / 256, 1};
                                            }}));
    const auto queue = device->make_queue();
    std::vector<float> values(1000);
    std::iota(values.begin(), values.end(), 1.0F);
    const DeviceMemory memory(device, values.size() * sizeof(float));
    const DeviceMemory* const used[] = {&memory};
    const Constants constants{999, 3}, none{0, 3};
    queue->upload(memory, 0, std::as_bytes(std::span(values)));
    queue->launch("check.scale", std::as_bytes(std::span(&constants, 1)), used);
    queue->launch("check.scale", std::as_bytes(std::span(&none, 1)), used);
    queue->download(memory, 0, std::as_writable_bytes(std::span(values)));
    queue->wait();
    bool right = values[999] == 1000;
    for (std::size_t k = 0; k < 999; ++k)
        right = right && std::abs(values[k] - 3 * std::sqrt(static_cast<float>(k + 1))) < 1e-4F * values[k];
    checks.that(right, "a kernel as text");

    register_kernel_text("check.broken", std::make_shared<const KernelText>(KernelText{
                                             "KERNEL void broken( {", "broken", [](std::span<const std::byte>) {
                                                 return std::array<std::size_t, 2>{1, 1};
                                             }}));
    queue->launch("check.broken", {}, {});
    const std::string message = message_of([&] { queue->wait(); });
    checks.that(message.starts_with("device " + name + " failed: "), "a text that is no kernel", message);
}

}  // namespace

void check_queues(Checks& checks, const std::string& device_name) {
    check_copies(checks, device_name);
    check_failures(checks, device_name);
    check_texts(checks, device_name);
}
