// Compiles a short-range interaction for the instruction set of the including source, into the table that such forces work with.
#pragma once

#include <typeinfo>

#include "trellis/forces/neighbour_pairs.hpp"
#include "trellis/forces/neighbour_reference.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

template <ShortRange I, class R>
Work evaluate_neighbours(const void* interaction, const NeighbourScene& scene, const NeighbourGroup& group,
                         Workspace& workspace) {
    return NeighbourPairs<I, R>(*static_cast<const I*>(interaction), scene, group, workspace).run();
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

// The table for an interaction of your own: short_range_force calls it.
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
            neighbour_reference<I>};
}

TRELLIS_ISA_END
}  // namespace trellis
