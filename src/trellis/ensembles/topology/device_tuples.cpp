#include "trellis/ensembles/topology/device_tuples.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "trellis/base/error.hpp"
#include "trellis/ensembles/kernels/system.hpp"
#include "trellis/ensembles/staged/set_kernels.hpp"
#include "trellis/forces/run_time/tuples/tuple_graph.hpp"
#include "trellis/forces/run_time/tuples/tuple_launch.hpp"
#include "trellis/forces/run_time/tuples/tuple_sets.hpp"

namespace trellis {

namespace {

// Tuples of all potentials of a topology that have this graph.
SetLists tuples_of(const Topology& topology, const std::vector<std::byte>& graph, std::span<const std::uint64_t> ids,
                   SetTables& tables) {
    std::vector<std::uint32_t> members;
    std::vector<double> values;
    std::size_t each = 1;
    for (const auto& [tuples, function] : topology.potentials) {
        if (function->graph != graph) continue;
        const std::vector<std::uint32_t> rows = tuples->rows(ids, tuples->name());
        members.insert(members.end(), rows.begin(), rows.end());
        for (std::size_t k = 0; k < tuples->size(); ++k) function->append_values(k, values);
        each = tuples->each();
    }
    SetTables::Entries entries(ids.size());
    for (std::size_t k = 0; k < members.size(); ++k) entries[members[k]].push_back(static_cast<std::uint32_t>(k));
    SetLists lists = tables.add(entries, members, values);
    lists.tuples = static_cast<std::uint32_t>(members.size() / each);
    return lists;
}

SetLists excluded_of(const Topology& topology, std::span<const std::uint64_t> ids, SetTables& tables) {
    std::vector<std::map<std::uint32_t, double>> factors(ids.size());  // by the other particle
    const std::vector<std::uint32_t> excluded = topology.excluded_rows(ids), scaled = topology.scaled_rows(ids);
    const auto set = [&](std::uint32_t one, std::uint32_t other, double factor) {
        factors[one][other] = factors[other][one] = factor;
    };
    for (std::size_t k = 0; k < excluded.size(); k += 2) set(excluded[k], excluded[k + 1], 0);
    for (std::size_t k = 0; k < scaled.size(); k += 2) set(scaled[k], scaled[k + 1], topology.factors()[k / 2]);
    SetTables::Entries entries(ids.size());
    std::vector<double> values;
    for (std::size_t k = 0; k < ids.size(); ++k)
        for (const auto& [other, factor] : factors[k]) {
            entries[k].push_back(other);
            values.push_back(factor);
        }
    return tables.add(entries, {}, values);
}

}  // namespace

DeviceTuples::DeviceTuples(const std::shared_ptr<Device>& device, const SystemTopologies& all, Queue& queue) {
    for (const Topology* topology : all.of_hamiltonians)
        for (const auto& [tuples, function] : topology->potentials) {
            if (std::ranges::find(graphs_, function->graph) != graphs_.end()) continue;
            if (function->graph.empty())
                throw InputError("the potential " + function->name + " has no graph, of which devices make kernels");
            graphs_.push_back(function->graph);
            kernels_.push_back(register_set_kernel("tuples", tuple_kernel(over_tuples(function->graph))));
        }
    tables_.fill(all, graphs_.size(), [&](const Topology& topology, auto ids, SetTables& tables) {
        std::vector<SetLists> of_graphs;
        of_graphs.reserve(graphs_.size());
        for (const auto& graph : graphs_) of_graphs.push_back(tuples_of(topology, graph, ids, tables));
        return of_graphs;
    });
    tables_.upload(device, queue);
}

void DeviceTuples::launch(Queue& queue, const SmallSetsCall& call, const DeviceMemory& sets,
                          const DeviceMemory& columns, const DeviceMemory& potentials) const {
    const DeviceMemory* memories[] = {
        &sets, &columns, &potentials, &tables_.lists(), &tables_.numbers(), &tables_.values()};
    TupleSetsCall todo{.sets = call.sets,
                       .largest = call.largest,
                       .rows = call.rows,
                       .columns = call.columns,
                       .interactions = call.interactions,
                       .graph = 0,
                       .numbers = tables_.number_count(),
                       .values = tables_.value_count(),
                       .position = system_columns::position,
                       .mass = system_columns::mass,
                       .acceleration = system_columns::acceleration};
    for (const std::string& kernel : kernels_) {
        queue.launch(kernel, std::as_bytes(std::span(&todo, 1)), memories);
        ++todo.graph;
    }
}

SetTables excluded_pairs(const SystemTopologies& all) {
    SetTables tables;
    tables.fill(all, 1, [](const Topology& topology, auto ids, SetTables& to) {
        return std::vector<SetLists>{excluded_of(topology, ids, to)};
    });
    return tables;
}

}  // namespace trellis
