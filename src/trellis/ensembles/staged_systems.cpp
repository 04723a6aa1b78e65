#include "trellis/ensembles/staged_systems.hpp"

#include <algorithm>
#include <cstring>

#include "trellis/devices/device_kind.hpp"
#include "trellis/devices/kernel_text.hpp"
#include "trellis/ensembles/kernels/run_time_system.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"
#include "trellis/transport/addresses/address.hpp"

namespace trellis {

namespace {

std::uint32_t component_of(const RunTimePair& pair, const char* result) {
    std::size_t before = 0;
    for (const FieldInfo& field : pair.outcome) {
        if (field.name == result) break;
        before += components_of({&field, 1});
    }
    return static_cast<std::uint32_t>(before);
}

// Registers the kernel of a pair over small sets, and returns its name.
std::string provide_small_sets(const RunTimePair& pair) {
    const SetResults results{component_of(pair, "acceleration"), component_of(pair, "potential")};
    std::string name = "small sets " + pair.kernel_name;
    register_kernel_text(name, pair_kernel(over_small_sets(pair.graph, results)).text);
    return name;
}

}  // namespace

bool StagedSystems::needed(const SystemTable& table, const Device& device) {
    return table.kernels.owner != nullptr && !table.kernels.topology &&
           (names_gpu(device.name()) || is_remote(device.name()));
}

StagedSystems::StagedSystems(const std::shared_ptr<Device>& device, const SystemTable& table, std::size_t systems,
                             std::size_t slots) {
    provide_stages();
    std::vector<RunTimeSystem> all;
    std::size_t stride = 0;
    for (std::size_t h = 0; h < table.hamiltonians(); ++h) {
        all.push_back(*static_cast<const RunTimeSystem*>(table.interaction(h)));
        stride = std::max(stride, before_parameters + all[h].pair->parameters.size() - all[h].pair->tabled);
    }
    call_.interactions = all.size();
    call_.stride = stride;
    interactions_.resize(all.size() * stride);
    for (std::size_t h = 0; h < all.size(); ++h) {
        const std::string kernel = provide_small_sets(*all[h].pair);
        auto known = std::ranges::find(kernels_, kernel);
        if (known == kernels_.end()) known = kernels_.insert(known, kernel);
        double* const row = interactions_.data() + h * stride;
        row[0] = static_cast<double>(known - kernels_.begin());
        row[1] = all[h].cutoff;
        const std::vector<double>& parameters = all[h].pair->parameters;
        std::copy_n(parameters.begin(), parameters.size() - all[h].pair->tabled, row + before_parameters);
    }
    const auto make = [&](StageMemory which, std::size_t bytes) { own(which) = DeviceMemory(device, bytes); };
    make(StageMemory::potentials, slots * sizeof(double));
    make(StageMemory::sets, systems * sizeof(SmallSet));
    make(StageMemory::trials, systems * sizeof(System));
    make(StageMemory::trial_columns, table.columns() * slots * sizeof(double));
    make(StageMemory::trial_sets, systems * sizeof(SmallSet));
}

void StagedSystems::launch(Queue& queue, const SystemsCall& call,
                           std::span<const DeviceMemory, system_memories> memory) {
    using enum Stage;
    call_.systems = call;
    const auto begin_at = [&](std::uint64_t step) { return step < call.steps ? 0 | begin : 0; };
    launch_stages(queue, memory, 0 | change);
    launch_forces(queue, memory, false);
    launch_stages(queue, memory, begin_at(0) | changed);
    for (std::uint64_t step = 1; step <= call.steps; ++step) {
        launch_forces(queue, memory, false);
        std::uint64_t stages = 0 | end;
        if (call.volumes != 0) {
            launch_stages(queue, memory, stages | propose);
            launch_forces(queue, memory, true);
            stages = 0 | decide;
        }
        call_.sample = step / call.every - 1;
        if (step % call.every == 0) stages = stages | sample;
        launch_stages(queue, memory, stages | begin_at(step));
    }
    for (call_.hamiltonian = 0; call_.hamiltonian < call.hamiltonians; ++call_.hamiltonian) {
        launch_stages(queue, memory, (call_.hamiltonian > 0 ? 0 | visited : 0) | visit);
        launch_forces(queue, memory, true);
    }
    if (call.hamiltonians > 0) launch_stages(queue, memory, 0 | visited);
}

void StagedSystems::launch_stages(Queue& queue, std::span<const DeviceMemory, system_memories> memory,
                                  std::uint64_t stages) {
    call_.stages = stages;
    const DeviceMemory* memories[stage_memories];
    for (std::size_t k = 0; k < stage_memories; ++k)
        memories[k] = k < system_memories ? &memory[k] : &own_[k - system_memories];
    queue.launch(stages_kernel, std::as_bytes(std::span(&call_, 1)), memories);
}

// Forces of the systems, or of their trials, where they are not known.
void StagedSystems::launch_forces(Queue& queue, std::span<const DeviceMemory, system_memories> memory, bool of_trials) {
    const DeviceMemory& columns =
        of_trials ? own(StageMemory::trial_columns) : memory[static_cast<std::size_t>(SystemMemory::columns)];
    const DeviceMemory* memories[] = {&own(of_trials ? StageMemory::trial_sets : StageMemory::sets), &columns,
                                      &memory[static_cast<std::size_t>(SystemMemory::interactions)],
                                      &own(StageMemory::potentials)};
    const SystemsCall& of = call_.systems;
    SmallSetsCall call{.sets = of.systems,
                       .largest = of.largest,
                       .rows = of.slots,
                       .columns = of.columns,
                       .interactions = call_.interactions,
                       .stride = call_.stride,
                       .graph = 0,
                       .acceleration = system_columns::acceleration,
                       .columns_of = {}};
    std::ranges::copy(of.columns_of, call.columns_of);
    for (const std::string& kernel : kernels_) {
        queue.launch(kernel, std::as_bytes(std::span(&call, 1)), memories);
        ++call.graph;
    }
}

}  // namespace trellis
