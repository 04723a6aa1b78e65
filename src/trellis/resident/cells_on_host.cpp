#include "trellis/resident/cells_on_host.hpp"

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"
#include "trellis/resident/kernels/expansion_kernels.hpp"

namespace trellis {

namespace {

// Queues a copy of `count` values.
template <class T>
std::span<const T> copied(const std::shared_ptr<Device>& device, Queue& queue, const DeviceMemory& from,
                          std::size_t count, HostMemory& to) {
    if (from.bytes() == 0) return {};
    make_room(to, device, count * sizeof(T));
    queue.download(from, 0, {to.begin(), count * sizeof(T)});
    return {reinterpret_cast<const T*>(to.begin()), count};
}

}  // namespace

void CellsOnHost::fetch(const std::shared_ptr<Device>& device, Queue& queue, const ResidentTree& tree,
                        const DeviceMemory& tolerances) {
    const std::size_t count = tree.cell_count();
    make_room(spheres_there_, device, count * sizeof(Sphere));
    make_room(bounds_there_, device, count * sizeof(Bounds));
    make_room(weights_there_, device, count * sizeof(double));
    launch_grid(queue, SplitContents{}, count, tree.contents(), spheres_there_, bounds_there_, weights_there_);
    cells_ = copied<Cell>(device, queue, tree.cells(), count, cells_here_);
    spheres_ = copied<Sphere>(device, queue, spheres_there_, count, spheres_here_);
    bounds_ = copied<Bounds>(device, queue, bounds_there_, count, bounds_here_);
    weights_ = copied<double>(device, queue, weights_there_, count, weights_here_);
    softenings_ = copied<CellSoftening>(device, queue, tree.softenings(), count, softenings_here_);
    tolerances_ = copied<ToleranceRange>(device, queue, tolerances, count, tolerances_here_);
    queue.wait();
}

void CellsOnHost::find_sizes(double root_side, const Opening& opening) {
    sizes_.resize(opening.receiver == Receiver::particle ? cells_.size() : 0);
    parallel_for(sizes_.size(), [&](std::size_t k) {
        sizes_[k] = size_for_particles(side_of(cells_[k], root_side), spheres_[k].radius, opening.theta);
    });
}

}  // namespace trellis
