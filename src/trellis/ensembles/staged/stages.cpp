#include "trellis/ensembles/staged/stages.hpp"

#include "trellis/devices/known_kernels.hpp"
#include "trellis/ensembles/kernels/system.hpp"
#include "trellis/forces/run_time/graphs/small_sets.hpp"

namespace trellis {

// A system's own numbers are not known here.
void stages_uses(std::span<const std::byte> constants, std::span<MemoryUse> uses) {
    const auto& call = KernelCall{constants, {}}.get<StagesCall>();
    const SystemsCall& all = call.systems;
    if (all.systems == 0) return;
    const std::uint64_t samples = all.every > 0 ? size_product(all.steps / all.every, all.systems) : no_size;
    const bool allowed = all.slots >= system_slots && all.columns >= system_columns::others &&
                         all.largest <= all.slots && call.stride >= before_parameters &&
                         (!call.has(Stage::sample) || (all.every > 0 && call.sample < all.steps / all.every)) &&
                         (!call.has(Stage::visit) || call.hamiltonian < call.interactions) &&
                         (!call.has(Stage::visited) || call.hamiltonian - 1 < all.hamiltonians);
    const auto use = [&]<class T>(StageMemory which, std::uint64_t elements, const T&) {
        uses[static_cast<std::size_t>(which)] = use_of<T>(allowed ? elements : no_size);
    };
    const std::uint64_t values = size_product(all.columns, all.slots);
    use(StageMemory::systems, all.systems, System{});
    use(StageMemory::changes, all.systems, SystemChange{});
    use(StageMemory::columns, values, double{});
    use(StageMemory::ids, all.slots, std::uint64_t{});
    use(StageMemory::interactions, size_product(call.interactions, call.stride), double{});
    use(StageMemory::containers, call.interactions, Container{});
    if (all.potentials != 0)
        use(StageMemory::energies, samples, float{});
    else
        use(StageMemory::energies, samples, SystemEnergies{});
    use(StageMemory::in_all, size_product(all.hamiltonians, all.systems), double{});
    if (all.volumes != 0) use(StageMemory::volumes, samples, double{});
    use(StageMemory::potentials, all.slots, double{});
    use(StageMemory::sets, all.systems, SmallSet{});
    use(StageMemory::trials, all.systems, System{});
    use(StageMemory::trial_columns, values, double{});
    use(StageMemory::trial_sets, all.systems, SmallSet{});
}

void provide_stages() {
    register_kernel(DeviceKind::cpu, stages_kernel, TRELLIS_VARIANT(run_stages),
                    {sizeof(StagesCall), stage_memories, stages_uses});
    TRELLIS_CALL_FOR_GPUS(register_stages());
}

}  // namespace trellis
