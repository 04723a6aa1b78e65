#include "trellis/forces/short_range/device/neighbour_launch.hpp"

#include <algorithm>
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
                               const Neighbourhood& neighbourhood, const SortedColumns& columns,
                               std::span<const std::uint8_t> groups, Phases& phases) {
    neighbours_->wait();  // a dispatch that was never retrieved
    neighbours_->send(neighbourhood, columns.slots(), phases);
    const PhaseTimer timer(phases, Phase::copy_all);
    list_blocks(groups);
    if (std::ranges::all_of(parts_, [](const DevicePart& part) { return part.listed.empty(); })) return;
    kernels_ = single ? kernels.single_on_device : kernels.double_on_device;
    table_bytes_ = (columns.slots() + neighbours_->images().size()) * kernels_.value_bytes *
                   row_stride_of(columns.component_count());
    make_room(host_rows_, neighbours_->shares().front().device, table_bytes_);
    if (single)
        write_rows<float>(neighbourhood.lists(), columns, kernels.source_components);
    else
        write_rows<double>(neighbourhood.lists(), columns, kernels.source_components);
    provide_neighbours(kernels);
    for (std::size_t k = 0; k < parts_.size(); ++k) send(neighbours_->shares()[k], parts_[k], kernels, interaction);
}

void NeighbourLaunch::list_blocks(std::span<const std::uint8_t> groups) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        const NeighbourShare& share = neighbours_->shares()[k];
        parts_[k].listed.clear();
        for (std::size_t g = share.first_group; g < share.end_group; ++g) {
            if (!groups.empty() && groups[g] == 0) continue;
            const auto blocks = neighbours_->blocks(g);
            parts_[k].listed.insert(parts_[k].listed.end(), blocks.begin(), blocks.end());
        }
    }
}

void NeighbourLaunch::send(const NeighbourShare& share, DevicePart& part, const NeighbourKernels& kernels,
                           const void* interaction) {
    if (part.listed.empty()) return;
    const auto blocks = std::as_bytes(std::span(part.listed));
    const std::size_t outcome = elements_of(part.listed.size()) * components_of(kernels.outcome) * kernels_.value_bytes;
    make_room(part.rows, share.device, table_bytes_);
    for (const auto& [on_host, there, bytes] :
         {std::tuple{&part.host_blocks, &part.blocks, blocks.size()}, {&part.host_outcome, &part.outcome, outcome}}) {
        make_room(*on_host, share.device, bytes);
        make_room(*there, share.device, bytes);
    }
    std::memcpy(part.host_blocks.begin(), blocks.data(), blocks.size());
    Queue& queue = *share.queue;
    queue.upload(part.rows, 0, {host_rows_.begin(), table_bytes_});
    queue.upload(part.blocks, 0, {part.host_blocks.begin(), blocks.size()});
    send_table(share, part, interaction);
    const NeighbourMemories memories{part.rows, part.blocks, share.entries, share.factors, part.outcome, part.table};
    kernels_.listed.launch(queue, neighbours_kernel(kernels.name, kernels_.value_bytes), interaction,
                           part.listed.size(), memories);
    if (std::ranges::any_of(part.listed, [](const ListedBlock& block) { return block.masked > 0; }))
        kernels_.masked.launch(queue, masked_kernel(kernels.name, kernels_.value_bytes), interaction,
                               part.listed.size(), memories);
    queue.download(part.outcome, 0, {part.host_outcome.begin(), outcome});
    queue.flush();
}

// Sends the table of an interaction by kinds, unless the device has it in this precision.
void NeighbourLaunch::send_table(const NeighbourShare& share, DevicePart& part, const void* interaction) {
    const std::span<const std::byte> table = kernels_.table(interaction);
    if (table.empty() || part.table_value_bytes == kernels_.value_bytes) return;
    part.table_value_bytes = 0;
    make_room(part.host_table, share.device, table.size());
    make_room(part.table, share.device, table.size());
    std::memcpy(part.host_table.begin(), table.data(), table.size());
    share.queue->upload(part.table, 0, {part.host_table.begin(), table.size()});
    part.table_value_bytes = kernels_.value_bytes;
}

// Ghosts have the components of Source alone.
template <class R>
void NeighbourLaunch::write_rows(const NeighbourLists& lists, const SortedColumns& columns,
                                 std::size_t source_components) {
    const std::size_t components = columns.component_count(), stride = row_stride_of(components);
    const auto place = [&](std::size_t slot) {
        return Vec3<double>{columns.component(0)[slot], columns.component(1)[slot], columns.component(2)[slot]};
    };
    const Vec3<double> corner = place(0);  // any point near all
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
        neighbours_->wait();
    }
    neighbours_->note_use();
    const PhaseTimer timer(phases, Phase::copy_forces);
    Work work;
    for (std::size_t k = 0; k < parts_.size(); ++k)
        work += write_back(neighbours_->shares()[k], parts_[k], interaction, scene);
    work.cost = static_cast<double>(work.pairs);
    return work;
}

Work NeighbourLaunch::write_back(const NeighbourShare& share, const DevicePart& part, const void* interaction,
                                 const NeighbourScene& scene) {
    const std::size_t count = part.listed.size();
    std::atomic<bool> finite = true;
    parallel_for(count, [&](std::size_t number) {
        const ListedBlock& block = part.listed[number];
        if (!kernels_.write_back(interaction, scene, block, part.host_outcome.begin(), number, count)) finite = false;
    });
    if (!finite) throw DeviceError(share.device->name(), "gave a force that is not finite");
    Work work;
    for (const ListedBlock& block : part.listed) work.pairs += block.pairs();
    return work;
}

}  // namespace trellis
