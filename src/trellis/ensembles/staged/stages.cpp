#include "trellis/ensembles/staged/stages.hpp"

#include "trellis/devices/known_kernels.hpp"
#include "trellis/ensembles/kernels/system.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"

namespace trellis {

void stages_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    const auto& call = KernelCall{constants, {}}.get<StagesCall>();
    const SystemsCall& all = call.systems;
    if (all.systems == 0) return;
    const bool allowed = call.stride >= before_parameters &&
                         (!call.has(Stage::sample) || (all.every > 0 && call.sample < all.steps / all.every)) &&
                         (!call.has(Stage::visit) || call.hamiltonian < call.interactions) &&
                         (!call.has(Stage::visited) || call.hamiltonian - 1 < all.hamiltonians);
    put_systems_uses(all, allowed, call.interactions, uses);
    const auto put = [&](StageMemory which, const MemoryUse& use) { uses[static_cast<std::size_t>(which)] = use; };
    put(StageMemory::interactions, use_of<double>(size_product(call.interactions, call.stride)));
    put(StageMemory::potentials, use_of<double>(all.slots));
    put(StageMemory::sets, use_of<SmallSet>(all.systems));
    put(StageMemory::trials, use_of<System>(all.systems));
    put(StageMemory::trial_columns, use_of<double>(size_product(all.columns, all.slots)));
    put(StageMemory::trial_sets, use_of<SmallSet>(all.systems));
}

void provide_stages() {
    register_kernel(DeviceKind::cpu, stages_kernel, TRELLIS_VARIANT(run_stages),
                    {sizeof(StagesCall), stage_memories, stages_uses});
    TRELLIS_CALL_FOR_GPUS(register_stages());
}

}  // namespace trellis
