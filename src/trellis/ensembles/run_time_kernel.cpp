#include "trellis/ensembles/run_time_kernel.hpp"

#include "trellis/base/error.hpp"
#include "trellis/ensembles/kernels/run_time_rows.hpp"
#include "trellis/ensembles/topology/with_topology.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

std::uint32_t component_of(const RunTimePair& pair, const char* result) {
    std::size_t before = 0;
    for (const FieldInfo& field : pair.outcome) {
        if (field.name == result) break;
        before += components_of({&field, 1});
    }
    return static_cast<std::uint32_t>(before);
}

SetsInteraction by_graph(const void* interaction) {
    const auto& [pair, cutoff] = *static_cast<const RunTimeSystem*>(interaction);
    const auto parameters = static_cast<std::ptrdiff_t>(pair->parameters.size() - pair->tabled);
    return {pair->graph,
            {component_of(*pair, "acceleration"), component_of(*pair, "potential")},
            cutoff,
            {pair->parameters.begin(), pair->parameters.begin() + parameters}};
}

}  // namespace

SystemKernels systems_at_run_time(const std::shared_ptr<const RunTimePair>& pair) {
    std::string name = systems_kernel("at run time");
    for (const FieldInfo& field : pair->fields) name += " " + field.name;
    if (const std::size_t count = components_of(pair->fields); count > most_components)
        throw InputError(pair->name + " reads fields of " + std::to_string(count) +
                         " components: among the particles of an ensemble, allowed are " +
                         std::to_string(most_components));
    SystemKernels kernels = with_topology<RunTimeSystem>(
        {name, pair->fields, sizeof(RunTimeSystem),
         [](const void* interaction) { return static_cast<const RunTimeSystem*>(interaction)->cutoff; },
         advance_systems<RunTimeSystem>, nullptr, pair});
    kernels.by_graph = by_graph;
    return kernels;
}

TRELLIS_ISA_END
}  // namespace trellis
