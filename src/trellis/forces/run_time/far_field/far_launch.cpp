#include "trellis/forces/run_time/far_field/far_launch.hpp"

#include <array>
#include <memory>
#include <utility>

#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/run_time/far_field/far_frames.hpp"
#include "trellis/forces/run_time/far_field/far_on_processor.hpp"
#include "trellis/forces/run_time/far_field/far_text.hpp"
#include "trellis/forces/run_time/graphs/pair_launch.hpp"
#include "trellis/forces/run_time/tuples/tuple_graph.hpp"
#include "trellis/forces/run_time/tuples/tuple_launch.hpp"
#include "trellis/forces/tree/kernels/expansion_steps.hpp"
#include "trellis/forces/tree/kernels/far_field_uses.hpp"

namespace trellis {

namespace {

std::array<std::size_t, 2> blocks_of_targets(std::span<const std::byte> constants) {
    const std::size_t targets = KernelCall{constants, {}}.get<LocalsCall>().target_count;
    return {(targets + targets_of_block - 1) / targets_of_block, 1};
}

std::array<std::size_t, 2> blocks_of_groups(std::span<const std::byte> constants) {
    return {KernelCall{constants, {}}.get<FarFieldCall>().group_count, 1};
}

FarFieldBytes bytes_of(const FarGraph& far) {
    const auto sizes = [&](const auto& steps) {
        const std::size_t value = far.head.value_bytes;
        return FarFieldBytes{steps.row_bytes, steps.expansion_bytes, row_stride_of(far.graph.components) * value,
                             far.head.results * value};
    };
    return far.single() ? sizes(expansion_steps<float>(far.head.order))
                        : sizes(expansion_steps<double>(far.head.order));
}

GraphKernel far_kernel(std::span<const std::byte> bytes) {
    FarGraph far = read_far_graph(bytes);
    const bool makes_locals = far.head.kernel == FarKernel::locals;
    const std::size_t constants =
        (makes_locals ? sizeof(LocalsCall) : sizeof(FarFieldCall)) + far.graph.parameters * sizeof(double);
    const auto uses = [sizes = bytes_of(far), makes_locals](std::span<const std::byte> call,
                                                            std::span<MemoryUse> used) {
        makes_locals ? locals_uses(call, used, sizes) : far_field_uses(call, used, sizes);
    };
    KernelText text{far_text(far),
                    makes_locals ? "locals" : "far_field",
                    makes_locals ? blocks_of_targets : blocks_of_groups,
                    {bytes.begin(), bytes.end()},
                    TRELLIS_VARIANT(far_on_processor)(std::move(far))};
    return {std::make_shared<const KernelText>(std::move(text)), constants, makes_locals ? std::size_t{4} : 10, uses};
}

}  // namespace

GraphKernel graph_kernel(std::span<const std::byte> bytes) {
    if (are_tuple_bytes(bytes)) return tuple_kernel(bytes);
    return are_far_bytes(bytes) ? far_kernel(bytes) : pair_kernel(bytes);
}

}  // namespace trellis
