// Compiles a short-range interaction for the instruction set of the including source, into the table that such forces
// work with.
#pragma once

#include <typeinfo>

#include "trellis/devices/cpu_grid.hpp"
#include "trellis/forces/short_range/kernels/finish_grid.hpp"
#include "trellis/forces/short_range/kernels/linear_finish.hpp"
#include "trellis/forces/short_range/kernels/neighbour_lanes.hpp"
#include "trellis/forces/short_range/kernels/neighbour_pairs.hpp"
#include "trellis/forces/short_range/kernels/neighbour_reference.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <ShortRange I, class R>
Work evaluate_neighbours(const void* interaction, const NeighbourScene& scene, const NeighbourGroup& group,
                         const GroupClusters& clusters, Workspace& workspace) {
    return NeighbourPairs<I, R>(*static_cast<const I*>(interaction), scene, group, clusters, workspace).run();
}

// The interaction as it is sent to a device: without addresses of the host.
template <ShortRange I>
I for_devices(const void* interaction) {
    I sent = *static_cast<const I*>(interaction);
    if constexpr (ByKinds<I>) sent.kinds = {sent.kinds.count};
    return sent;
}

template <ShortRange I, class R>
NeighbourGrid<I, R> neighbour_grid(const void* interaction, std::size_t blocks) {
    return {for_devices<I>(interaction), elements_of(blocks)};
}

template <ShortRange I, class R>
void launch_neighbours(Queue& queue, std::string_view kernel, const void* interaction, std::size_t blocks,
                       const NeighbourMemories& memories) {
    launch_grid_as(queue, kernel, neighbour_grid<I, R>(interaction, blocks), elements_of(blocks), memories.rows,
                   memories.blocks, memories.entries, memories.outcome, memories.table);
}

template <ShortRange I, class R>
void launch_masked(Queue& queue, std::string_view kernel, const void* interaction, std::size_t blocks,
                   const NeighbourMemories& memories) {
    const MaskedGrid<I, R> grid{neighbour_grid<I, R>(interaction, blocks)};
    launch_grid_as(queue, kernel, grid, elements_of(blocks), memories.rows, memories.blocks, memories.entries,
                   memories.factors, memories.outcome, memories.table);
}

template <ShortRange I, class R>
std::span<const std::byte> table_of_kinds(const void* interaction) {
    if constexpr (ByKinds<I>) {
        const KindTable& kinds = static_cast<const I*>(interaction)->kinds;
        return std::as_bytes(std::span(kinds.values<R>(), kind_values(kinds.count, I::OfKinds::components)));
    } else {
        return {};
    }
}

template <ShortRange I, class R>
bool write_back_neighbours(const void* interaction, const NeighbourScene& scene, const ListedBlock& block,
                           const void* outcome, std::size_t number, std::size_t blocks) {
    bool finite = true;
    for (std::uint32_t slot = 0; slot < block.count; ++slot)
        write_outcome(*static_cast<const I*>(interaction), scene, block.first + slot, [&](std::size_t c) {
            const R* of_block = static_cast<const R*>(outcome) + c * elements_of(blocks) + elements_of(number);
            const auto value = static_cast<double>(of_block[slot]);
            finite = finite && (c < I::Result::components ? std::isfinite(value) : !std::isnan(value));
            return value;
        });
    return finite;
}

template <OfStayingParticles I, class R>
void launch_finish(Queue& queue, std::string_view kernel, const void* interaction, std::size_t blocks,
                   std::size_t particles, const FinishMemories& memories) {
    const FinishGrid<I, R> grid{for_devices<I>(interaction), elements_of(blocks), particles};
    launch_grid_as(queue, kernel, grid, elements_of(blocks), memories.blocks, memories.outcome, memories.positions,
                   memories.values, memories.accelerations, memories.potentials, memories.others);
}

template <ShortRange I, class R>
FinishDeviceKernel finish_on_device() {
    if constexpr (OfStayingParticles<I>)
        return {run_grid_on_cpu<FinishGrid<I, R>>, grid_arguments<FinishGrid<I, R>>(), launch_finish<I, R>};
    else
        return {};
}

template <ShortRange I, class R>
NeighbourDeviceKernels neighbours_on_device() {
    using Grid = NeighbourGrid<I, R>;
    using Masked = MaskedGrid<I, R>;
    return {sizeof(R),
            {run_neighbours<I, R>, grid_arguments<Grid>(), launch_neighbours<I, R>},
            {run_masked<I, R>, grid_arguments<Masked>(), launch_masked<I, R>},
            write_back_neighbours<I, R>,
            table_of_kinds<I, R>,
            finish_on_device<I, R>()};
}

template <class Search_>
constexpr Search search_of() {
    using Radius = typename SearchTraits<Search_>::Radius;
    if (std::is_same_v<Search_, Scatter<Radius>>) return Search::scatter;
    return std::is_same_v<Search_, Symmetric<Radius>> ? Search::symmetric : Search::gather;
}

template <class Search_>
std::optional<FieldInfo> radius_of() {
    using Radius = typename SearchTraits<Search_>::Radius;
    if constexpr (std::is_void_v<Radius>) {
        return std::nullopt;
    } else {
        return field_info<Radius>();
    }
}

template <class Evolving>
struct EvolvingFields;
template <>
struct EvolvingFields<Rates<>> {
    static void put(std::vector<std::pair<FieldInfo, FieldInfo>>&) {}
};
template <class Value, class Rate, class... Rest>
struct EvolvingFields<Rates<Value, Rate, Rest...>> {
    static void put(std::vector<std::pair<FieldInfo, FieldInfo>>& all) {
        all.emplace_back(field_info<Value>(), field_info<Rate>());
        EvolvingFields<Rates<Rest...>>::put(all);
    }
};

template <class I>
std::vector<std::pair<FieldInfo, FieldInfo>> evolving_fields() {
    std::vector<std::pair<FieldInfo, FieldInfo>> all;
    EvolvingFields<typename EvolvesOf<I>::type>::put(all);
    return all;
}

// The table of an interaction; called by short_range_force (compile.hpp).
template <ShortRange I>
NeighbourKernels make_neighbour_kernels() {
    return {typeid(I).name(),
            UnionOfFields<typename I::Source, typename I::Target>::infos(),
            I::Source::components,
            InfosOf<OutcomeOf<I>>::all(),
            InfosOf<typename I::Result>::all().size(),
            evolving_fields<I>(),
            search_of<typename I::Search>(),
            radius_of<typename I::Search>(),
            evaluate_neighbours<I, float>,
            evaluate_neighbours<I, double>,
            neighbours_on_device<I, float>(),
            neighbours_on_device<I, double>(),
            neighbour_reference<I>,
            finishes_linearly<I>};
}

TRELLIS_ISA_END
}  // namespace trellis
