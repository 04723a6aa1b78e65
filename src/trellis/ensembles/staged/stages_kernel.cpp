#include <cstddef>
#include <vector>

#include "trellis/base/parallel.hpp"
#include "trellis/ensembles/staged/stage_of_system.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

namespace {

struct OneThread {
    static constexpr std::size_t number() { return 0; }
    static constexpr std::size_t count() { return 1; }
    static constexpr void wait() {}
};

}  // namespace

void run_stages(const KernelCall& call) {
    const auto& todo = call.get<StagesCall>();
    const StagesMemory memory(call);
    const std::size_t sums = BlockSpace{todo.systems.largest, false}.doubles_of_sums();
    std::vector<double> partial(sums * static_cast<std::size_t>(thread_count()));
    const OneThread alone;
    parallel_tasks(todo.systems.systems, [&](std::size_t k, int thread) {
        if (memory.systems[k].count == 0) return;  // from a client that is not this library: see advance_systems
        StageOfSystem(memory, todo, k, alone, partial.data() + static_cast<std::size_t>(thread) * sums).run();
    });
}

TRELLIS_ISA_END
}  // namespace trellis
