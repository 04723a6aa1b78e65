#include "trellis/forces/run_time/run_time_device.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "trellis/devices/kernel_text.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/forces/run_time/far_field/far_graph.hpp"
#include "trellis/forces/run_time/far_field/far_launch.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/forces/run_time/run_time_outcome.hpp"
#include "trellis/forces/tree/device/gpu_expand_lists.hpp"
#include "trellis/forces/tree/device/gpu_moments.hpp"
#include "trellis/forces/tree/kernels/device_far_field.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {

namespace {

const RunTimePair& pair_of(const void* interaction) { return *static_cast<const RunTimePair*>(interaction); }

const void* parameters_of(const void* interaction) { return pair_of(interaction).parameters.data(); }

// The bytes of the parameters that kernels take.
std::size_t bytes_of_parameters(const RunTimePair& pair) {
    return (pair.parameters.size() - pair.tabled) * sizeof(double);
}

// The kernels have finished the sums.
template <class R>
void add_sums(const void* interaction, const void* sums, const std::uint32_t* rows, std::size_t count,
              std::span<const ResultComponent> results) {
    const std::size_t components = pair_of(interaction).outcome_components();
    const R* next = static_cast<const R*>(sums);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t c = 0; c < components; ++c)
            results[c].values[rows[i] * results[c].stride] += static_cast<double>(*next++);
}

void launch(Queue& queue, std::string_view kernel, const RunTimePair& pair, std::size_t blocks,
            std::span<const DeviceMemory* const> memories) {
    const std::uint64_t elements = elements_of(blocks);
    std::vector<std::byte> constants(sizeof elements + bytes_of_parameters(pair));
    std::memcpy(constants.data(), &elements, sizeof elements);
    std::memcpy(constants.data() + sizeof elements, pair.parameters.data(), bytes_of_parameters(pair));
    queue.launch(kernel, constants, memories);
}

void launch_neighbours(Queue& queue, std::string_view kernel, const void* interaction, std::size_t blocks,
                       const NeighbourMemories& memories) {
    const DeviceMemory* const used[] = {&memories.rows, &memories.blocks, &memories.entries, &memories.outcome};
    launch(queue, kernel, pair_of(interaction), blocks, used);
}

void launch_masked(Queue& queue, std::string_view kernel, const void* interaction, std::size_t blocks,
                   const NeighbourMemories& memories) {
    const DeviceMemory* const used[] = {&memories.rows, &memories.blocks, &memories.entries, &memories.factors,
                                        &memories.outcome};
    launch(queue, kernel, pair_of(interaction), blocks, used);
}

template <class R>
bool write_back(const void* interaction, const NeighbourScene& scene, const ListedBlock& block, const void* outcome,
                std::size_t number, std::size_t blocks) {
    const RunTimePair& pair = pair_of(interaction);
    bool finite = true;
    for (std::uint32_t slot = 0; slot < block.count; ++slot)
        write_run_time_outcome(pair, scene, block.first + slot, [&](std::size_t c) {
            const R* of_block = static_cast<const R*>(outcome) + c * elements_of(blocks) + elements_of(number);
            const auto value = static_cast<double>(of_block[slot]);
            finite = finite && (c < pair.summed ? std::isfinite(value) : !std::isnan(value));
            return value;
        });
    return finite;
}

std::uint8_t first_in_outcome(const RunTimePair& pair, std::string_view name) {
    return static_cast<std::uint8_t>(first_component(pair.outcome, name));
}

std::span<const std::byte> no_table(const void*) { return {}; }

}  // namespace

void provide_on_devices(const RunTimePair& pair, InteractionKernels& kernels) {
    kernels.name = pair.kernel_name.c_str();
    kernels.bytes = bytes_of_parameters(pair);
    kernels.constants = parameters_of;
    kernels.single_precision.write_back = add_sums<float>;
    kernels.double_precision.write_back = add_sums<double>;
    TRELLIS_CALL_FOR_GPUS(register_expand_lists());
    for (const std::size_t value_bytes : {sizeof(float), sizeof(double)})
        register_pair_kernel(pair.kernel_name, pair.graph, value_bytes);
}

void register_pair_kernel(const std::string& name, std::span<const std::byte> graph, std::size_t value_bytes) {
    register_kernel_text(pairs_kernel(name.c_str(), value_bytes), pair_kernel(in_precision(graph, value_bytes)).text);
}

void provide_far_field_on_devices(const RunTimePair& pair, int order) {
    TRELLIS_CALL_FOR_GPUS(register_moments());
    const char* name = pair.kernel_name.c_str();
    for (const std::size_t value_bytes : {sizeof(float), sizeof(double)}) {
        const auto provide = [&](FarKernel kernel, const std::string& as) {
            const FarHead head{kernel,
                               static_cast<std::uint8_t>(order),
                               static_cast<std::uint8_t>(value_bytes),
                               static_cast<std::uint8_t>(pair.outcome_components()),
                               first_in_outcome(pair, Acceleration::name),
                               first_in_outcome(pair, Potential::name)};
            register_kernel_text(as, graph_kernel(far_bytes(head, pair.far_graph)).text);
        };
        provide(FarKernel::locals, locals_kernel(name, order, value_bytes));
        provide(FarKernel::far_field, far_field_kernel(name, order, value_bytes));
    }
}

void provide_on_devices(const RunTimePair& pair, NeighbourKernels& kernels) {
    kernels.name = pair.kernel_name.c_str();
    const NeighbourDeviceKernel listed{nullptr, {}, launch_neighbours}, masked{nullptr, {}, launch_masked};
    kernels.single_on_device = {sizeof(float), listed, masked, write_back<float>, no_table};
    kernels.double_on_device = {sizeof(double), listed, masked, write_back<double>, no_table};
    for (const std::size_t value_bytes : {sizeof(float), sizeof(double)}) {
        const std::vector<std::byte> graph = in_precision(pair.graph, value_bytes);
        register_kernel_text(neighbours_kernel(kernels.name, value_bytes), pair_kernel(graph).text);
        register_kernel_text(masked_kernel(kernels.name, value_bytes), pair_kernel(over_masked_entries(graph)).text);
    }
}

}  // namespace trellis
