#include "trellis/forces/run_time/run_time_force.hpp"

#include <utility>

#include "trellis/forces/run_time/run_time_kernel.hpp"

namespace trellis {

RunTimeMachine run_time_machine() { return {chosen_isa(), TRELLIS_VARIANT(run_time_vector_bytes)()}; }

std::unique_ptr<TreeForce> run_time_tree_force(std::shared_ptr<const RunTimePair> pair, const ForceSettings& settings) {
    InteractionKernels kernels = TRELLIS_VARIANT(run_time_tree_kernels)(*pair);
    return std::make_unique<TreeForce>(std::move(kernels), std::move(pair), 1, settings, Devices{});
}

std::unique_ptr<ShortRangeForce> run_time_short_range_force(std::shared_ptr<const RunTimePair> pair, double cutoff,
                                                            const ShortRangeSettings& settings) {
    NeighbourKernels kernels = TRELLIS_VARIANT(run_time_neighbour_kernels)(*pair);
    return std::make_unique<ShortRangeForce>(std::move(kernels), std::move(pair), cutoff, settings);
}

}  // namespace trellis
