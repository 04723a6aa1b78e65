#include "trellis/ensembles/run_time_kernel.hpp"

#include "trellis/base/error.hpp"
#include "trellis/ensembles/kernels/run_time_rows.hpp"
#include "trellis/ensembles/topology/with_topology.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

SystemKernels systems_at_run_time(const std::shared_ptr<const RunTimePair>& pair) {
    std::string name = systems_kernel("at run time");
    for (const FieldInfo& field : pair->fields) name += " " + field.name;
    if (const std::size_t count = components_of(pair->fields); count > most_components)
        throw InputError(pair->name + " reads fields of " + std::to_string(count) +
                         " components: among the particles of an ensemble, allowed are " +
                         std::to_string(most_components));
    return with_topology<RunTimeSystem>(
        {name, pair->fields, sizeof(RunTimeSystem),
         [](const void* interaction) { return static_cast<const RunTimeSystem*>(interaction)->cutoff; },
         advance_systems<RunTimeSystem>, nullptr, pair});
}

TRELLIS_ISA_END
}  // namespace trellis
