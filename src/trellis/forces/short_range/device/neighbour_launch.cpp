#include "trellis/forces/short_range/device/neighbour_launch.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "trellis/base/parallel.hpp"
#include "trellis/devices/room.hpp"
#include "trellis/forces/row_layout.hpp"
#include "trellis/forces/short_range/device/provide_neighbours.hpp"
#include "trellis/lists/neighbours/search/group_frame.hpp"

namespace trellis {

namespace {

// Writes a value. True if there were other bits.
template <class R>
bool put(R value, R& there) {
    using Bits = std::conditional_t<sizeof(R) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
    return std::bit_cast<Bits>(value) != std::bit_cast<Bits>(std::exchange(there, value));
}

}  // namespace

void NeighbourLaunch::dispatch(const NeighbourKernels& kernels, const void* interaction, bool single,
                               const Neighbourhood& neighbourhood, const SortedColumns& columns,
                               const NeighbourSelection* some, Phases& phases) {
    neighbours_->wait();  // a dispatch that was never retrieved
    neighbours_->send(neighbourhood, columns.slots(), phases);
    const PhaseTimer timer(phases, Phase::copy_all);
    list_blocks(neighbourhood, some);
    if (std::ranges::all_of(parts_, [](const DevicePart& part) { return part.listed.empty(); })) return;
    kernels_ = single ? kernels.single_on_device : kernels.double_on_device;
    table_.begin(columns.slots() + neighbours_->images().size(),
                 kernels_.value_bytes * row_stride_of(columns.component_count()), neighbours_->shares().front().device);
    name_rows(neighbourhood.lists(), some);
    if (single)
        write_rows<float>(neighbourhood, columns, kernels.source_components);
    else
        write_rows<double>(neighbourhood, columns, kernels.source_components);
    provide_neighbours(kernels);
    for (std::size_t k = 0; k < parts_.size(); ++k)
        if (!parts_[k].listed.empty()) send(k, kernels, interaction);
}

void NeighbourLaunch::list_blocks(const Neighbourhood& neighbourhood, const NeighbourSelection* some) {
    const auto order = neighbourhood.tree().order();
    const auto wants = [&](const ListedBlock& block) {
        return std::ranges::any_of(order.subspan(block.first, block.count),
                                   [&](std::uint32_t row) { return some->rows[row] != 0; });
    };
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        const NeighbourShare& share = neighbours_->shares()[k];
        std::vector<ListedBlock>& listed = parts_[k].listed;
        listed.clear();
        parts_[k].names.clear();
        for (std::size_t g = share.first_group; g < share.end_group; ++g) {
            const auto blocks = neighbours_->blocks(g);
            if (some == nullptr) listed.insert(listed.end(), blocks.begin(), blocks.end());
            if (some == nullptr || some->groups[g] == 0) continue;
            for (std::uint32_t b = 0; b < blocks.size(); ++b) {
                if (!wants(blocks[b])) continue;
                listed.push_back(blocks[b]);
                parts_[k].names.push_back({g, b});
            }
        }
    }
}

// Names the rows that each device reads.
void NeighbourLaunch::name_rows(const NeighbourLists& lists, const NeighbourSelection* some) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        if (some == nullptr) {
            table_.name_all(k);
            continue;
        }
        const auto& names = parts_[k].names;
        parallel_tasks(names.size(), [&](std::size_t n, int) {
            neighbours_->each_row(lists, names[n].group, names[n].block,
                                  [&](std::uint32_t row) { table_.name(k, row); });
        });
    }
}

void NeighbourLaunch::send(std::size_t k, const NeighbourKernels& kernels, const void* interaction) {
    const NeighbourShare& share = neighbours_->shares()[k];
    DevicePart& part = parts_[k];
    Queue& queue = *share.queue;
    const auto blocks = std::as_bytes(std::span(part.listed));
    const std::size_t outcome = elements_of(part.listed.size()) * components_of(kernels.outcome) * kernels_.value_bytes;
    table_.send(k, share.device, queue);
    for (const auto& [on_host, there, bytes] :
         {std::tuple{&part.host_blocks, &part.blocks, blocks.size()}, {&part.host_outcome, &part.outcome, outcome}}) {
        make_room(*on_host, share.device, bytes);
        make_room(*there, share.device, bytes);
    }
    std::memcpy(part.host_blocks.begin(), blocks.data(), blocks.size());
    queue.upload(part.blocks, 0, {part.host_blocks.begin(), blocks.size()});
    send_table(share, part, interaction);
    const NeighbourMemories memories{table_.on_device(k), part.blocks,  share.entries,
                                     share.factors,       part.outcome, part.table};
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

// Positions are relative to the middle of this rank's particles as it was when their lists were made, so that rows stay
// the same while particles do. Ghosts have the components of Source alone.
template <class R>
void NeighbourLaunch::write_rows(const Neighbourhood& neighbourhood, const SortedColumns& columns,
                                 std::size_t source_components) {
    const std::size_t components = columns.component_count();
    const Vec3<double> middle = centre_of(neighbourhood.tree().zone(0));
    const auto images = neighbours_->images();
    table_.write([&](std::size_t number, std::byte* to) {
        const bool image = number >= columns.slots();
        const std::size_t slot = image ? images[number - columns.slots()].slot : number;
        Vec3<double> place{columns.component(0)[slot], columns.component(1)[slot], columns.component(2)[slot]};
        if (image) place += neighbourhood.lists().shift(images[number - columns.slots()].image);
        R position[6];
        write_row_position(place - middle, position);
        R* const row = reinterpret_cast<R*>(to);
        bool others = false;
        for (std::size_t k = 0; k < std::size(position); ++k) others |= put(position[k], row[k]);
        const std::size_t known = slot < columns.size() ? components : source_components;
        for (std::size_t c = 3; c < known; ++c)
            others |= put(static_cast<R>(columns.component(c)[slot]), row[place_in_row(c)]);
        return others;
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
