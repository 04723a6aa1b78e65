#include "trellis/resident/kernels/sort_and_scan.hpp"

#include <numeric>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/known_kernels.hpp"
#include "trellis/tree/radix_sort.hpp"

namespace trellis {

namespace {

template <class... Memory>
void launch(Queue& queue, const char* kernel, std::size_t count, const DeviceMemory& space, const Memory&... memory) {
    if (count == 0) return;
    const OrderCall call{count, space.bytes()};
    const DeviceMemory* const addresses[] = {&memory..., &space};
    queue.launch(kernel, std::as_bytes(std::span(&call, 1)), addresses);
}

void sort_on_cpu(const KernelCall& call) {
    auto* keys = reinterpret_cast<std::uint64_t*>(call.memory[0]);
    auto* indices = reinterpret_cast<std::uint32_t*>(call.memory[1]);
    std::vector<KeyIndex> pairs(call.get<OrderCall>().count), sorted(pairs.size());
    SortSpace space;
    parallel_for(pairs.size(), [&](std::size_t k) { pairs[k] = {keys[k], indices[k]}; });
    radix_sort(pairs, sorted, space);
    parallel_for(sorted.size(), [&](std::size_t k) {
        keys[k] = sorted[k].key;
        indices[k] = sorted[k].index;
    });
}

template <class T>
void scan_on_cpu(const KernelCall& call) {
    T* values = reinterpret_cast<T*>(call.memory[0]);
    std::exclusive_scan(values, values + call.get<OrderCall>().count, values, T{0});
}

const OrderCall& order_of(std::span<const std::byte> constants) { return KernelCall{constants, {}}.get<OrderCall>(); }

void sort_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    const OrderCall& order = order_of(constants);
    uses[0] = uses[2] = use_of<std::uint64_t>(order.count);
    uses[1] = uses[3] = use_of<std::uint32_t>(order.count);
    uses[4] = use_of<std::byte>(order.space);
}

template <class T>
void scan_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    uses[0] = use_of<T>(order_of(constants).count);
    uses[1] = use_of<std::byte>(order_of(constants).space);
}

}  // namespace

void sort_by_key(Queue& queue, std::size_t count, const DeviceMemory& keys, const DeviceMemory& indices,
                 const DeviceMemory& other_keys, const DeviceMemory& other_indices, const DeviceMemory& space) {
    launch(queue, sort_kernel, count, space, keys, indices, other_keys, other_indices);
}

void sum_before_32(Queue& queue, std::size_t count, const DeviceMemory& values, const DeviceMemory& space) {
    launch(queue, scan_kernel_32, count, space, values);
}

void sum_before_64(Queue& queue, std::size_t count, const DeviceMemory& values, const DeviceMemory& space) {
    launch(queue, scan_kernel_64, count, space, values);
}

void register_sort_and_scan() {
    register_kernel(DeviceKind::cpu, sort_kernel, sort_on_cpu, {sizeof(OrderCall), 5, sort_uses});
    register_kernel(DeviceKind::cpu, scan_kernel_32, scan_on_cpu<std::uint32_t>,
                    {sizeof(OrderCall), 2, scan_uses<std::uint32_t>});
    register_kernel(DeviceKind::cpu, scan_kernel_64, scan_on_cpu<std::uint64_t>,
                    {sizeof(OrderCall), 2, scan_uses<std::uint64_t>});
    TRELLIS_CALL_FOR_GPUS(register_sort_and_scan_for_gpus());
}

}  // namespace trellis
