#include "trellis/forces/tree/device/batches/device_cells.hpp"

#include <algorithm>

#include "trellis/forces/tree/kernels/device_moments.hpp"

namespace trellis {

std::array<std::size_t, 3> DeviceCells::sizes(const HostCells& cells, const BatchKernel& kernel) {
    const std::size_t made = cells.made_there ? cells.count : 0;
    return {cells.count * kernel.cell_bytes, made * frame_values * kernel.row.value_bytes, made * sizeof(Cell)};
}

void DeviceCells::send(const std::shared_ptr<Device>& device, Queue& queue, const HostCells& cells,
                       const DeviceMemory& particles, const BatchKernel& kernel) {
    if (!cells.rows.empty()) return queue.upload(rows_, 0, cells.rows);
    if (!cells.tree.empty()) {
        std::ranges::copy(cells.tree, tree_.stage<Cell>(device, cells.tree.size()));
        tree_.send(queue);
    }
    queue.upload(frames_, 0, cells.frames);
    const bool single = kernel.row.value_bytes == sizeof(float);
    at_order(kernel.order, [&](auto order) {
        if (single) return make<order, float>(queue, cells, particles, kernel);
        make<order, double>(queue, cells, particles, kernel);
    });
}

template <int Order, class R>
void DeviceCells::make(Queue& queue, const HostCells& cells, const DeviceMemory& particles,
                       const BatchKernel& kernel) const {
    const LeafMoments<Order, R> leaves{kernel.row.values, kernel.strength};
    launch_grid_as(queue, leaf_moments_kernel(Order, sizeof(R)), leaves, cells.count, tree_.memory(), frames_,
                   particles, rows_);
    for (std::size_t level = cells.levels.size() - 1; level-- > 0;)
        launch_grid_as(queue, parent_moments_kernel(Order, sizeof(R)), ParentMoments<Order, R>{cells.levels[level]},
                       cells.levels[level + 1] - cells.levels[level], tree_.memory(), rows_);
}

}  // namespace trellis
