// The parameters of a block's i-particles with each kind of j-particle, one for each lane. For kernel sources only.
//
// They are looked up once for each kind. A j-particle, whose kind is the same for all i-particles of a cluster, then
// reads them as whole vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "trellis/base/batch.hpp"
#include "trellis/base/workspace.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/forces/short_range/kernels/cluster_lanes.hpp"
#include "trellis/forces/short_range/kernels/kind_table.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Whole numbers, one for each lane.
template <class T>
struct LaneNumbersOf {
    using Number = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using type [[gnu::vector_size(vector_bytes)]] = Number;
};
template <class T>
using LaneNumbers = typename LaneNumbersOf<T>::type;

// The numbers of kinds that one lookup in two vectors covers.
template <class T>
inline constexpr std::size_t kinds_at_once = 2 * lanes<T>;

// row[number] for each lane. row: aligned; number: below `pieces` times kinds_at_once.
template <class T>
[[gnu::always_inline]] inline Vector<T> look_up(const T* row, [[maybe_unused]] std::size_t pieces,
                                                const LaneNumbers<T>& number) {
#if defined(__AVX__)
    Vector<T> found = __builtin_shuffle(load(row), load(row + lanes<T>), number);
    for (std::size_t piece = 1; piece < pieces; ++piece) {
        const std::size_t first = piece * kinds_at_once<T>;
        const Vector<T> beyond = __builtin_shuffle(load(row + first), load(row + first + lanes<T>), number);
        found = number < static_cast<typename LaneNumbersOf<T>::Number>(first) ? found : beyond;
    }
    return found;
#else
    Vector<T> found{};
    for (std::size_t lane = 0; lane < lanes<T>; ++lane) found[lane] = row[number[lane]];
    return found;
#endif
}

// For an interaction that knows no kinds.
template <class I, class R>
class KindRows {
  public:
    static std::size_t bytes(const I&, std::size_t) { return 0; }
    KindRows(const I&, std::size_t, Workspace&) {}
    static constexpr bool is_kind(std::size_t) { return false; }
    void stage(const double*, std::size_t, std::size_t) {}
    void stage_absent(std::size_t) {}
    void fill(std::span<const double* const>, std::uint32_t) {}
    template <class Numbers>
    TRELLIS_INLINE NoKinds with(const Numbers&, std::size_t) const {
        return {};
    }
};

template <ByKinds I, class R>
class KindRows<I, R> {
  public:
    using V = ClusterBatch<R>;
    static constexpr std::size_t components = I::OfKinds::components, block = SearchTree::block_size;
    static constexpr int parts = static_cast<int>(block / lanes<R>);
    static_assert(most_kinds * components * block < 65536, "row_of_ has 16 bits");

    // stride: room for the numbers of j-particles.
    static std::size_t bytes(const I& interaction, std::size_t stride) {
        return Workspace::bytes_of<R>(interaction.kinds.count * components * block) +
               Workspace::bytes_of<std::uint16_t>(stride);
    }
    // Takes its memory, `bytes`, of a workspace that has been started.
    KindRows(const I& interaction, std::size_t stride, Workspace& workspace)
        : table_(interaction.kinds.template values<R>()),
          count_(interaction.kinds.count),
          rows_(workspace.take<R>(count_ * components * block)),
          row_of_(workspace.take<std::uint16_t>(stride)) {}

    // True for the component of Source that is the kind.
    static constexpr bool is_kind(std::size_t component) {
        return component == UnionOfFields<typename I::Source, Fields<>>::template component_in_source<ParticleKind>();
    }

    // Notes the kinds of j-particles as where their rows begin, from the number `first` on.
    void stage(const double* kinds, std::size_t count, std::size_t first) {
        for (std::size_t j = 0; j < count; ++j)
            row_of_[first + j] = static_cast<std::uint16_t>(kind_of(kinds[j], count_) * components * block);
    }

    void stage_absent(std::size_t number) { row_of_[number] = 0; }

    // Looks up the parameters of the i-particles of a block, from slot `first` on. columns: those of a scene. Lanes
    // without a particle have any kind.
    void fill(std::span<const double* const> columns, std::uint32_t first) {
        constexpr std::size_t component =
            UnionOfFields<typename I::Source, Fields<>>::template component_in_source<ParticleKind>();
        const double* kinds = columns[component] + first;
        LaneNumbers<R> numbers[parts];
        for (std::size_t k = 0; k < block; ++k)
            numbers[k / lanes<R>][k % lanes<R>] =
                static_cast<typename LaneNumbersOf<R>::Number>(kind_of(kinds[k], count_));
        const std::size_t pieces = (count_ + kinds_at_once<R> - 1) / kinds_at_once<R>;
        const std::size_t stride = kind_stride(count_), rows = count_ * components;
        const R* const table = table_;  // copies that the stores cannot change
        R* const out = rows_;
        const auto fill_rows = [&](std::size_t of_each) __attribute__((always_inline)) {
            for (std::size_t row = 0; row < rows; ++row)
                unroll<parts>([&](auto part) __attribute__((always_inline)) {
                    store(look_up(table + row * stride, of_each, numbers[part]),
                          out + row * block + static_cast<std::size_t>(part) * lanes<R>);
                });
        };
        if (pieces == 1)
            fill_rows(1);
        else if (pieces == 2)
            fill_rows(2);
        else
            fill_rows(pieces);
    }

    // The parameters of a cluster, from place `first` in the block on, with j-particles.
    template <class Numbers>
    TRELLIS_INLINE Record<typename I::OfKinds, V> with(const Numbers& j, std::size_t first) const {
        const R* const rows = rows_ + first;
        Record<typename I::OfKinds, V> found;
        found.each_component([&](V& value, std::size_t c) {
            if constexpr (j_at_once<R> == 1)
                value = of_each_i(rows + row_of_[j[0]] + c * block);
            else
                value.part[0] = side_by_side<R>(
                    [&](std::size_t u) __attribute__((always_inline)) { return rows + row_of_[j[u]] + c * block; });
        });
        return found;
    }

  private:
    const R* table_;
    std::uint32_t count_;
    R* rows_;                // for each kind of j-particle and each component, a value for each lane
    std::uint16_t* row_of_;  // where in rows_ the kind of a j-particle begins
};

TRELLIS_ISA_END
}  // namespace trellis
