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
    void stage(const double*, std::size_t, std::size_t, std::size_t) {}
    void stage_absent(std::size_t, R*) {}
    void shift(double*) const {}
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

    // Notes the kinds of j-particles, each `stride` values after the last one, as where their rows begin, from the
    // number `first` on.
    void stage(const double* kinds, std::size_t stride, std::size_t count, std::size_t first) {
        for (std::size_t j = 0; j < count; ++j)
            row_of_[first + j] = static_cast<std::uint16_t>(kind_of(kinds[j * stride], count_) * components * block);
    }

    void stage_absent(std::size_t number, R*) { row_of_[number] = 0; }
    void shift(double*) const {}

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
        const std::size_t stride = kind_stride(count_);
        const R* const table = table_;  // copies that the stores cannot change
        R* const out = rows_;
        const auto fill_rows = [&](std::size_t of_each) __attribute__((always_inline)) {
            for (std::size_t kind = 0; kind < count_; ++kind)
                unroll<parts>([&](auto part) __attribute__((always_inline)) {
                    const auto found = [&](std::size_t c) __attribute__((always_inline)) {
                        return look_up(table + (kind * components + c) * stride, of_each, numbers[part]);
                    };
                    const std::size_t i = static_cast<std::size_t>(part) * lanes<R>;
                    R* const of_kind = out + kind * components * block;
                    for (std::size_t c = 0; c < paired; c += 2) store_pair(found(c), found(c + 1), of_kind, c, i);
                    if constexpr (components > paired) store(found(paired), of_kind + place_of(paired, i));
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
        Record<typename I::OfKinds, V> record;
        if constexpr (j_at_once<R> == 1) {
            record.each_component(
                [&](V& value, std::size_t c) { value = of_each_i(rows_ + row_of_[j[0]] + place_of(c, first)); });
        } else {
            Vector<R> found[components];
            const auto place = [&](std::size_t c) __attribute__((always_inline)) {
                const R* const rows = rows_ + place_of(c, first);
                return [rows, &j, this](std::size_t u) __attribute__((always_inline)) { return rows + row_of_[j[u]]; };
            };
            for (std::size_t c = 0; c < paired; c += 2) side_by_side<R>(place(c), found[c], found[c + 1]);
            if constexpr (components > paired) found[paired] = side_by_side<R>(place(paired));
            record.each_component([&](V& value, std::size_t c) { value.part[0] = found[c]; });
        }
        return record;
    }

  private:
    // Components in pairs: each four i-particles of a cluster have both side by side, so that one load finds both.
    static constexpr std::size_t paired = components / 2 * 2;

    // The place of component c of i-particle i of the block among those of a kind.
    static constexpr std::size_t place_of(std::size_t c, std::size_t i) {
        if (c >= paired) return c * block + i;
        return c / 2 * 2 * block + i / cluster_size * 2 * cluster_size + c % 2 * cluster_size + i % cluster_size;
    }

    // Stores a vector of components c and c + 1, from i-particle i on.
    [[gnu::always_inline]] static void store_pair(const Vector<R>& one, const Vector<R>& next, R* rows, std::size_t c,
                                                  std::size_t i) {
        if constexpr (lanes<R> <= cluster_size) {
            store(one, rows + place_of(c, i));
            store(next, rows + place_of(c + 1, i));
        } else {
            unroll<2>([&](auto half) __attribute__((always_inline)) {
                constexpr std::size_t first = static_cast<std::size_t>(half) * lanes<R>;
                LaneNumbers<R> from;
                for (std::size_t k = 0; k < lanes<R>; ++k)
                    from[k] = static_cast<typename LaneNumbersOf<R>::Number>(
                        (first + k) / (2 * cluster_size) * cluster_size + k / cluster_size % 2 * lanes<R> +
                        k % cluster_size);
                store(__builtin_shuffle(one, next, from), rows + place_of(c, i) + first);
            });
        }
    }

    const R* table_;
    std::uint32_t count_;
    R* rows_;                // for each kind of j-particle and each component, a value for each lane
    std::uint16_t* row_of_;  // where in rows_ the kind of a j-particle begins
};

TRELLIS_ISA_END
}  // namespace trellis
