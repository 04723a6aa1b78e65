#include "trellis/forces/short_range/device/neighbour_launch.hpp"

#include <atomic>
#include <cstring>
#include <string>
#include <tuple>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"
#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/short_range/device/provide_neighbours.hpp"

namespace trellis {

void NeighbourLaunch::dispatch(const NeighbourKernels& kernels, const void* interaction, bool single,
                               const NeighbourLists& lists, const SortedColumns& columns,
                               std::span<const std::uint8_t> groups, Phases& phases) {
    Queue& queue = neighbours_->queue();
    queue.wait();  // a dispatch that was never retrieved
    neighbours_->send(lists, columns.slots(), phases);
    const PhaseTimer timer(phases, Phase::copy_all);
    listed_.clear();
    for (std::size_t g = 0; g < lists.groups().size(); ++g) {
        if (!groups.empty() && groups[g] == 0) continue;
        const auto blocks = neighbours_->blocks(g);
        listed_.insert(listed_.end(), blocks.begin(), blocks.end());
    }
    if (listed_.empty()) return;
    kernels_ = single ? kernels.single_on_device : kernels.double_on_device;
    const std::shared_ptr<Device>& device = neighbours_->device();
    const auto blocks = std::as_bytes(std::span(listed_));
    const std::size_t row_bytes = kernels_.value_bytes * row_stride_of(columns.component_count());
    const std::size_t table = (columns.slots() + neighbours_->images().size()) * row_bytes;
    const std::size_t outcome = elements_of(listed_.size()) * components_of(kernels.outcome) * kernels_.value_bytes;
    for (const auto& [on_host, there, bytes] : {std::tuple{&host_rows_, &rows_, table},
                                                {&host_blocks_, &blocks_, blocks.size()},
                                                {&host_outcome_, &outcome_, outcome}}) {
        make_room(*on_host, device, bytes);
        make_room(*there, device, bytes);
    }
    if (single)
        write_rows<float>(lists, columns, kernels.source_components);
    else
        write_rows<double>(lists, columns, kernels.source_components);
    std::memcpy(host_blocks_.begin(), blocks.data(), blocks.size());
    queue.upload(rows_, 0, {host_rows_.begin(), table});
    queue.upload(blocks_, 0, {host_blocks_.begin(), blocks.size()});
    const std::string name = neighbours_kernel(kernels.name, kernels_.value_bytes);
    provide_neighbours(kernels);
    kernels_.launch(queue, name, interaction, listed_.size(), rows_, blocks_, neighbours_->entries(), outcome_);
    queue.download(outcome_, 0, {host_outcome_.begin(), outcome});
    queue.flush();
}

// Ghosts have the components of Source alone.
template <class R>
void NeighbourLaunch::write_rows(const NeighbourLists& lists, const SortedColumns& columns,
                                 std::size_t source_components) {
    const std::size_t components = columns.component_count(), stride = row_stride_of(components);
    const auto place = [&](std::size_t slot) {
        return Vec3<double>{columns.component(0)[slot], columns.component(1)[slot], columns.component(2)[slot]};
    };
    const Vec3<double> corner = place(0);  // any place near all
    const auto images = neighbours_->images();
    R* rows = reinterpret_cast<R*>(host_rows_.begin());
    parallel_for(columns.slots() + images.size(), [&](std::size_t number) {
        R* row = rows + number * stride;
        const bool image = number >= columns.slots();
        const std::size_t slot = image ? images[number - columns.slots()].slot : number;
        const Vec3<double> shift = image ? lists.shift(images[number - columns.slots()].image) : Vec3<double>{0, 0, 0};
        write_row_position(place(slot) + shift - corner, row);
        const std::size_t known = slot < columns.size() ? components : source_components;
        for (std::size_t c = 3; c < known; ++c) row[place_in_row(c)] = static_cast<R>(columns.component(c)[slot]);
    });
}

Work NeighbourLaunch::retrieve(const void* interaction, const NeighbourScene& scene, Phases& phases) {
    {
        const PhaseTimer timer(phases, Phase::wait_for_device);
        neighbours_->queue().wait();
    }
    neighbours_->note_use();
    const PhaseTimer timer(phases, Phase::copy_forces);
    std::atomic<bool> finite = true;
    parallel_for(listed_.size(), [&](std::size_t number) {
        if (!kernels_.write_back(interaction, scene, listed_[number], host_outcome_.begin(), number, listed_.size()))
            finite = false;
    });
    if (!finite) throw DeviceError(neighbours_->device()->name(), "gave a force that is not finite");
    Work work;
    for (const ListedBlock& block : listed_) work.pairs += block.pairs();
    work.cost = static_cast<double>(work.pairs);
    return work;
}

}  // namespace trellis
