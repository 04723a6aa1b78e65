#include "trellis/forces/tree/device/batches/batch_kernels.hpp"

#include <cstring>

#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/tree/kernels/device_far_field.hpp"
#include "trellis/forces/tree/kernels/device_pairs.hpp"

namespace trellis {

void BatchKernel::set_constants(const InteractionKernels& all, const void* interaction) {
    constants.resize(sizeof(PairsCall) + all.bytes);
    std::memcpy(constants.data() + sizeof(PairsCall), all.constants(interaction), all.bytes);
}

BatchKernel batch_kernel(const InteractionKernels& all, const ForceKernels& kernels, int order) {
    BatchKernel kernel;
    kernel.name = pairs_kernel(all.name, kernels.value_bytes);
    const auto value_bytes = static_cast<std::uint32_t>(kernels.value_bytes);
    kernel.row = {value_bytes, static_cast<std::uint32_t>(row_stride_of(components_of(all.fields))),
                  value_bytes == sizeof(float) ? 3U : 0U};
    kernel.row_bytes = kernel.row.bytes();
    kernel.result_bytes = kernels.value_bytes * components_of(all.results);
    if (order == 1) return kernel;
    kernel.order = order;
    kernel.locals = locals_kernel(all.name, order, kernels.value_bytes);
    kernel.far_field = far_field_kernel(all.name, order, kernels.value_bytes);
    const OrderKernels at_order = kernels.at_order(order);
    kernel.local_bytes = at_order.expansion_bytes;
    kernel.cell_bytes = at_order.row_bytes;
    kernel.strength = static_cast<std::uint32_t>(place_in_row(all.strength));
    return kernel;
}

}  // namespace trellis
