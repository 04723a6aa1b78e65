#include "trellis/ensembles/staged/stages.hpp"

#include "trellis/devices/gpu/shared_space.cuh"
#include "trellis/devices/known_kernels.hpp"
#include "trellis/ensembles/gpu/block_threads.cuh"
#include "trellis/ensembles/staged/stage_of_system.hpp"

namespace trellis {
TRELLIS_GPU_BEGIN

__global__ void __launch_bounds__(most_system_threads, 2)
    stage_systems(const StagesMemory memory, const StagesCall call, SharedSpace space) {
    const BlockThreads threads;
    StageOfSystem<BlockThreads>(memory, call, blockIdx.x, threads, begin_of(space)).run();
}

void launch_stages(const KernelCall& call) {
    const auto& todo = call.get<StagesCall>();
    const std::size_t bytes = BlockSpace{todo.systems.largest, false}.doubles_of_sums() * sizeof(double);
    launch_sharing(call, stage_systems, static_cast<unsigned>(todo.systems.systems),
                   system_threads(todo.systems.largest), bytes, StagesMemory(call), todo);
}

void register_stages() {
    register_kernel(gpu_kind, stages_kernel, launch_stages, {sizeof(StagesCall), stage_memories, stages_uses});
}

TRELLIS_GPU_END
}  // namespace trellis
