#include "trellis/devices/isolated/kernel_worker.hpp"

#include <unistd.h>

#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/isolated/shared_arena.hpp"
#include "trellis/devices/kernel_text.hpp"
#include "trellis/devices/kernels.hpp"

namespace trellis {

namespace {

// Runs one kernel. Returns the text of its error; empty if it is done.
std::string run(const std::string& name, std::span<const std::byte> graph, const KernelCall& call) {
    const Kernel kernel = find_kernel(DeviceKind::cpu, name);
    if (kernel == nullptr && graph.empty()) return "there is no kernel '" + name + "'";
    try {
        if (graph.empty())
            kernel(call);
        else
            kernel_of_graph(graph)->text->on_processor(call);
        return "";
    } catch (const std::exception& error) {
        const std::string text = error.what();
        return text.empty() ? "a kernel failed" : text;
    }
}

void carry_out_launches(const OwnDescriptor& socket, std::byte* arena) {
    WorkerLaunch launch;
    while (receive_all(socket, writable_object_bytes(launch))) {
        std::string name(launch.name_bytes, '\0');
        std::vector<std::byte> graph(launch.graph_bytes), constants(launch.constants_bytes);
        std::vector<std::uint64_t> offsets(launch.memories);
        if (!receive_all(socket, std::as_writable_bytes(std::span(name))) || !receive_all(socket, graph) ||
            !receive_all(socket, constants) || !receive_all(socket, std::as_writable_bytes(std::span(offsets))))
            return;
        std::vector<std::byte*> memory;
        memory.reserve(offsets.size());
        for (const std::uint64_t offset : offsets) memory.push_back(offset == no_memory ? nullptr : arena + offset);
        const std::string error = run(name, graph, {constants, memory});
        const WorkerAnswer answer{static_cast<std::uint32_t>(error.size())};
        if (!send_all(socket, object_bytes(answer)) || !send_all(socket, std::as_bytes(std::span(error)))) return;
    }
}

}  // namespace

void work(const StartWorker& start, const OwnDescriptor& memory, const OwnDescriptor& control) {
    try {
        std::byte* const arena = map_arena(memory, start.memory_bytes);
        std::byte one{};
        OwnDescriptor socket;
        while (receive_all(control, {&one, 1}, {&socket, 1}))
            std::thread([socket = std::exchange(socket, OwnDescriptor()), arena, threads = start.threads] {
                set_thread_count(threads);
                carry_out_launches(socket, arena);
            }).detach();
    } catch (const std::exception&) {
        _exit(1);  // the server sees that the process has ended
    }
    _exit(0);
}

}  // namespace trellis
