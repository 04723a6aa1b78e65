#include "trellis/resident/cells_on_host.hpp"

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"

namespace trellis {

namespace {

template <class T>
std::span<const T> values_of(const HostMemory& memory, std::size_t count) {
    return {reinterpret_cast<const T*>(memory.begin()), count};
}

}  // namespace

void CellsOnHost::fetch(const std::shared_ptr<Device>& device, Queue& queue, const ResidentTree& tree,
                        const DeviceMemory& tolerances) {
    const std::size_t count = tree.cell_count();
    const auto copy = [&](const DeviceMemory& from, HostMemory& to, std::size_t bytes) {
        if (bytes == 0) return;
        make_room(to, device, bytes);
        queue.download(from, 0, {to.begin(), bytes});
    };
    softenings_differ_ = tree.softenings().bytes() > 0;
    has_tolerances_ = tolerances.bytes() > 0;
    copy(tree.cells(), fetched_cells_, count * sizeof(Cell));
    copy(tree.contents(), fetched_contents_, count * sizeof(CellContents));
    copy(tree.softenings(), fetched_softenings_, softenings_differ_ ? count * sizeof(CellSoftening) : 0);
    copy(tolerances, fetched_tolerances_, has_tolerances_ ? count * sizeof(ToleranceRange) : 0);
}

void CellsOnHost::take(std::size_t count, double root_side, const Opening& opening) {
    cells_ = values_of<Cell>(fetched_cells_, count);
    softenings_ = values_of<CellSoftening>(fetched_softenings_, softenings_differ_ ? count : 0);
    tolerances_ = values_of<ToleranceRange>(fetched_tolerances_, has_tolerances_ ? count : 0);
    const auto contents = values_of<CellContents>(fetched_contents_, count);
    spheres_.resize(count);
    bounds_.resize(count);
    weights_.resize(count);
    sizes_.resize(opening.receiver == Receiver::particle ? count : 0);
    parallel_for(count, [&](std::size_t k) {
        spheres_[k] = contents[k].sphere;
        bounds_[k] = contents[k].bounds;
        weights_[k] = contents[k].weight;
        if (sizes_.empty()) return;
        sizes_[k] = size_for_particles(side_of(cells_[k], root_side), spheres_[k].radius, opening.theta);
    });
}

}  // namespace trellis
