// Grid kernels: one source for the processor and for GPUs. A grid kernel is a function of one element, which runs for
// all elements in any order:
//
//     struct Drift {
//         static constexpr const char* name = "drift";         // its name on devices
//         static constexpr Phase phase = Phase::integration;   // the phase to which its time is added
//         double time;
//         const Vec3<double>* velocity = nullptr;              // on the device; set when it runs
//         Vec3<double>* position = nullptr;
//         auto arrays() { return std::tie(velocity, position); }
//         auto sizes(std::uint64_t count) const { return array_sizes(count, count); }  // elements used of each array
//         TRELLIS_HOST_DEVICE void operator()(std::size_t k) const { position[k] += time * velocity[k]; }
//     };
//
// launch_grid(queue, Drift{time}, count, velocities, positions) queues it, with its arrays in the order of arrays(). An
// element must write only memory that no other element reads or writes, except by functions of shared_words.hpp. A
// member `static constexpr bool uneven = true` means that elements differ much in cost. sizes(count) is what a launch
// for count elements uses of each array, by its members alone (memory_use.hpp); numbers that the arrays contain are not
// known there.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "trellis/base/phase.hpp"
#include "trellis/devices/device.hpp"
#include "trellis/devices/kernels.hpp"
#include "trellis/devices/memory_use.hpp"

namespace trellis {

// Constants of a launch of a grid kernel, whose arrays are not set yet.
template <class Body>
struct GridCall {
    std::uint64_t count;
    Body body;
};

// Launches under another name: for a template, whose types are part of its name.
template <class Body, class... Memory>
void launch_grid_as(Queue& queue, std::string_view name, const Body& body, std::size_t count, const Memory&... memory) {
    static_assert(std::is_trivially_copyable_v<Body>);
    static_assert(std::tuple_size_v<decltype(std::declval<Body&>().arrays())> == sizeof...(Memory),
                  "memory for each array");
    if (count == 0) return;
    const GridCall<Body> call{count, body};
    const DeviceMemory* const addresses[] = {&memory...};
    queue.launch(name, std::as_bytes(std::span(&call, 1)), addresses);
}

template <class Body, class... Memory>
void launch_grid(Queue& queue, const Body& body, std::size_t count, const Memory&... memory) {
    launch_grid_as(queue, Body::name, body, count, memory...);
}

// Returns the call with its arrays set to their addresses on the device.
template <class Body>
GridCall<Body> grid_call(const KernelCall& call) {
    GridCall<Body> bound = call.get<GridCall<Body>>();
    std::size_t next = 0;
    const auto set = [&](auto*& array) {
        array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(call.memory[next++]);
    };
    std::apply([&](auto&... arrays) { (set(arrays), ...); }, bound.body.arrays());
    return bound;
}

// The use of the memories of a launch.
template <class Body>
void grid_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    GridCall<Body> call = KernelCall{constants, {}}.get<GridCall<Body>>();
    const auto sizes = call.body.sizes(call.count);
    static_assert(std::tuple_size_v<decltype(call.body.arrays())> == std::tuple_size_v<decltype(sizes)>,
                  "a size for each array");
    std::size_t next = 0;
    const auto put = [&]<class T>(T*&) { uses[next] = use_of<T>(sizes[next]), ++next; };
    std::apply([&](auto&... arrays) { (put(arrays), ...); }, call.body.arrays());
}

// The phases to which the times of kernels are added, by names of kernels.
using KernelPhases = std::map<std::string, Phase, std::less<>>;

template <class... Bodies>
struct GridKernels {
    static void add_phases(KernelPhases& phases) { (phases.emplace(Bodies::name, Bodies::phase), ...); }
};

}  // namespace trellis
