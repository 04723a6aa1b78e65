#include "trellis/forces/tree/device/batches/device_cells.hpp"

#include <algorithm>

#include "trellis/forces/tree/kernels/device_moments.hpp"

namespace trellis {

namespace {

template <int Order, class R>
void make_moments_at(Queue& queue, const BatchKernel& kernel, std::span<const std::uint32_t> levels,
                     const DeviceMemory& tree, const DeviceMemory& frames, const DeviceMemory& particles,
                     const DeviceMemory& rows) {
    const LeafMoments<Order, R> leaves{kernel.row.values, kernel.strength};
    launch_grid_as(queue, leaf_moments_kernel(Order, sizeof(R)), leaves, levels.back(), tree, frames, particles, rows);
    for (std::size_t level = levels.size() - 1; level-- > 0;)
        launch_grid_as(queue, parent_moments_kernel(Order, sizeof(R)), ParentMoments<Order, R>{levels[level]},
                       levels[level + 1] - levels[level], tree, rows);
}

}  // namespace

void make_moments(Queue& queue, const BatchKernel& kernel, std::span<const std::uint32_t> levels,
                  const DeviceMemory& tree, const DeviceMemory& frames, const DeviceMemory& particles,
                  const DeviceMemory& rows) {
    const bool single = kernel.row.value_bytes == sizeof(float);
    at_order(kernel.order, [&](auto order) {
        const auto make = single ? make_moments_at<order, float> : make_moments_at<order, double>;
        make(queue, kernel, levels, tree, frames, particles, rows);
    });
}

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
    make_moments(queue, kernel, cells.levels, tree_.memory(), frames_, particles, rows_);
}

}  // namespace trellis
