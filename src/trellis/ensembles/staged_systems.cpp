#include "trellis/ensembles/staged_systems.hpp"

#include <algorithm>

#include "trellis/base/error.hpp"
#include "trellis/devices/device_kind.hpp"
#include "trellis/ensembles/staged/set_kernels.hpp"
#include "trellis/ensembles/topology/topology_kernels.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"
#include "trellis/transport/addresses/address.hpp"

namespace trellis {

namespace {

SystemTopologies topologies_of(const SystemTable& table, std::span<const System> systems,
                               std::span<const std::uint64_t> ids) {
    SystemTopologies all;
    for (std::size_t h = 0; h < table.hamiltonians(); ++h)
        all.of_hamiltonians.push_back(topology_of(table.kernels, table.interaction(h)));
    for (const System& system : systems) all.ids.push_back(ids.subspan(system.first, system.count));
    return all;
}

}  // namespace

bool StagedSystems::needed(const SystemTable& table, const Device& device) {
    return table.kernels.owner != nullptr && (names_gpu(device.name()) || is_remote(device.name()));
}

StagedSystems::StagedSystems(const std::shared_ptr<Device>& device, const SystemTable& table,
                             std::span<const System> systems, std::span<const std::uint64_t> ids, Queue& queue) {
    provide_stages();
    try {
        if (table.kernels.topology) take_topologies(device, topologies_of(table, systems, ids), queue);
        take_interactions(table, excluded_.has_value());
        const auto make = [&](StageMemory which, std::size_t bytes) { own(which) = DeviceMemory(device, bytes); };
        make(StageMemory::potentials, ids.size() * sizeof(double));
        make(StageMemory::sets, systems.size() * sizeof(SmallSet));
        make(StageMemory::trials, systems.size() * sizeof(System));
        make(StageMemory::trial_columns, table.columns() * ids.size() * sizeof(double));
        make(StageMemory::trial_sets, systems.size() * sizeof(SmallSet));
    } catch (...) {
        queue.settle();  // uploads under way use lists and memory that are about to be released
        throw;
    }
}

void StagedSystems::take_topologies(const std::shared_ptr<Device>& device, const SystemTopologies& all, Queue& queue) {
    const auto excludes = [](const Topology* topology) { return topology->pairs != nullptr; };
    if (std::ranges::any_of(all.of_hamiltonians, excludes))
        excluded_.emplace(excluded_pairs(all)).upload(device, queue);
    tuples_.emplace(device, all, queue);
}

// excluding: pairs are excluded.
void StagedSystems::take_interactions(const SystemTable& table, bool excluding) {
    if (table.kernels.by_graph == nullptr)
        throw InputError("the interaction " + table.kernels.name + " has no graph, of which devices make kernels");
    std::vector<SetsInteraction> all;
    std::size_t stride = 0;
    for (std::size_t h = 0; h < table.hamiltonians(); ++h) {
        all.push_back(table.kernels.by_graph(table.interaction(h)));
        stride = std::max(stride, before_parameters + all[h].parameters.size());
    }
    call_.interactions = all.size();
    call_.stride = stride;
    interactions_.resize(all.size() * stride);
    for (std::size_t h = 0; h < all.size(); ++h) {
        const auto& [graph, results, range, parameters] = all[h];
        const std::string kernel =
            register_set_kernel("small sets", pair_kernel(over_small_sets(graph, results, excluding)));
        auto known = std::ranges::find(kernels_, kernel);
        if (known == kernels_.end()) known = kernels_.insert(known, kernel);
        double* const row = interactions_.data() + h * stride;
        row[0] = static_cast<double>(known - kernels_.begin());
        row[1] = range;
        std::ranges::copy(parameters, row + before_parameters);
    }
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
    const DeviceMemory& sets = own(of_trials ? StageMemory::trial_sets : StageMemory::sets);
    std::vector<const DeviceMemory*> memories{
        &sets, &columns, &memory[static_cast<std::size_t>(SystemMemory::interactions)], &own(StageMemory::potentials)};
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
    if (excluded_) {
        memories.insert(memories.end(), {&excluded_->lists(), &excluded_->numbers(), &excluded_->values()});
        call.numbers = excluded_->number_count();
        call.values = excluded_->value_count();
    }
    for (const std::string& kernel : kernels_) {
        queue.launch(kernel, std::as_bytes(std::span(&call, 1)), memories);
        ++call.graph;
    }
    if (tuples_) tuples_->launch(queue, call, sets, columns, own(StageMemory::potentials));
}

}  // namespace trellis
