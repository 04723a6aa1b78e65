// Tiles: the pairs of two blocks of particles of a small system. For kernel sources only.
//
// A tile is a block of i-particles, one in each lane of a vector, beside a block of j-particles, which is rotated by
// one lane from one row of the tile to the next, until all pairs are done. Each pair is computed once and gives a force
// to both sides: the j-particles' sums rotate with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "trellis/base/batch.hpp"
#include "trellis/ensembles/kernels/system.hpp"
#include "trellis/ensembles/kernels/tile_masks.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/forces/short_range.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// Rotates the lanes: each gets the value of the lane By further on.
template <class T, int By = 1>
[[gnu::always_inline]] inline Vector<T> turned(const Vector<T>& vector) {
    return [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
        return __builtin_shufflevector(vector, vector, (K + By) % static_cast<int>(lanes<T>)...);
    }(std::make_integer_sequence<int, static_cast<int>(lanes<T>)>{});
}

// The nearest integers to values whose magnitude is below 2^22 (floats), 2^51 (doubles): beyond, digits are lost.
template <class U>
[[gnu::always_inline]] inline U rounded(const U& value) {
    using Lane = std::remove_cvref_t<decltype(value[0])>;
    constexpr Lane large = sizeof(Lane) == 4 ? Lane(0x1.8p23) : Lane(0x1.8p52);
    return (value + large) - large;
}

// The box of a system in single precision, for nearest images.
class SystemBox {
  public:
    explicit SystemBox(const System& system) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            side_[axis] = static_cast<float>(system.box[axis]);
            inverse_side_[axis] = system.box[axis] > 0 ? static_cast<float>(1 / system.box[axis]) : 0.0f;
        }
    }

    // The vector from one position to another, by the nearest image.
    template <bool Periodic>
    [[gnu::always_inline]] Vec3<Batch<float>> separation(const Vec3<Batch<float>>& from,
                                                         const Vec3<Batch<float>>& to) const {
        Vec3<Batch<float>> d = to - from;
        if constexpr (Periodic) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                d[axis].part[0] -= side_[axis] * rounded(d[axis].part[0] * inverse_side_[axis]);
        }
        return d;
    }

    // The sides, then their reciprocals: six numbers, 0 along an axis without images.
    const float* values() const { return side_; }

  private:
    float side_[3], inverse_side_[3];
};

// The sums of a block; stride: from one component to the next.
struct BlockSums {
    float* values;
    std::size_t stride;
};

template <class I>
class TileRows {
  public:
    using R = float;
    using V = Batch<R>;
    using Target = typename I::Target;
    using Source = typename I::Source;
    using Result = typename I::Result;
    static constexpr std::size_t width = lanes<R>;
    // Components of the fields: those of Source, then those of Target that Source lacks; the position is first.
    static constexpr std::size_t components() { return UnionOfFields<Source, Target>::component_count(); }
    // Components of the sums.
    static constexpr std::size_t sums() { return Result::components; }
    // Stride from one component of a block to the next: its values are stored twice, so that rotated ones are read in
    // one piece.
    static constexpr std::size_t pitch = 2 * width;

    TileRows(const I& interaction, const System& system) : interaction_(interaction), box_(system) {}

    void set_box(const System& system) { box_ = SystemBox(system); }
    const SystemBox& box() const { return box_; }
    const I& interaction() const { return interaction_; }

    // True if component c of the outcome is summed: all but the virial, which the steps do not need.
    static constexpr bool summed(std::size_t c) {
        if constexpr (InResult::template in_source<Virial>())
            return c != InResult::template component_in_source<Virial>();
        else
            return true;
    }

    // The pairs within a block, of which all count unless Masked. At a rotation by half of the lanes, each pair occurs
    // twice.
    template <bool Periodic, bool Masked>
    [[gnu::flatten]] void own_tile(const R* a, PairMask mask, BlockSums sums) const {
        const I interaction = interaction_;
        constexpr std::size_t half = width / 2;
        Sums of_i = no_sums(), of_j = no_sums();
        for (std::size_t turn = 1; turn < half; ++turn) {
            row<Periodic, Masked, true, false>(interaction, a, a, turn, mask, of_i, of_j);
            turn_by<1>(of_j);
        }
        row<Periodic, Masked, false, false>(interaction, a, a, half, mask, of_i, of_j);
        turn_by<half>(of_j);
        add_to(sums, of_i);
        add_to(sums, of_j);
    }

    // The pairs of two blocks, of which all count unless Masked. Sparse: skips rows without any interacting pair, as
    // many are between blocks of neighbours; the test costs more than it saves if hardly any row is empty.
    template <bool Periodic, bool Masked, bool Sparse>
    [[gnu::flatten]] void tile(const R* a, const R* b, PairMask mask, BlockSums of_a, BlockSums of_b) const {
        const I interaction = interaction_;
        Sums of_i = no_sums(), of_j = no_sums();
        for (std::size_t turn = 0; turn < width; ++turn) {
            row<Periodic, Masked, true, Sparse>(interaction, a, b, turn, mask, of_i, of_j);
            turn_by<1>(of_j);
        }
        add_to(of_a, of_i);
        add_to(of_b, of_j);
    }

    // Accelerations and potentials (energy per mass) of a block, after all pairs. field(c, lane): an i-particle's value
    // of component c of the fields.
    template <class Field>
    void finish(const Field& field, BlockSums sums, double (&outcome)[4][width]) const {
        const I interaction = interaction_;
        for (std::size_t lane = 0; lane < width; ++lane) {
            Record<Target, double> i;
            i.each_component([&](double& value, std::size_t c) { value = field(TargetComponents<I>::value[c], lane); });
            Record<Result, double> total;
            total.each_component([&](double& value, std::size_t c) {
                value = summed(c) ? static_cast<double>(sums.values[c * sums.stride + lane]) : 0.0;
            });
            if constexpr (requires { interaction.finish(i, total); })
                interaction.finish(i, total);
            else if constexpr (requires { interaction.finish(total); })
                interaction.finish(total);
            for (std::size_t axis = 0; axis < 3; ++axis) outcome[axis][lane] = total[fields::acceleration][axis];
            outcome[3][lane] = total[fields::potential];
        }
    }

  private:
    using Sums = Record<Result, Gated<V>>;
    using InResult = UnionOfFields<Result, Fields<>>;

    static Sums no_sums() {
        Sums sums;
        sums.each_component([](Gated<V>& sum, std::size_t) { sum.total = 0.0f; });
        return sums;
    }

    [[gnu::always_inline]] static void add_to(BlockSums sums, Sums& more) {
        more.each_component([&](Gated<V>& sum, std::size_t c) __attribute__((always_inline)) {
            if (!summed(c)) return;
            R* values = sums.values + c * sums.stride;
            store(load(values) + sum.total.part[0], values);
        });
    }

    // The fields of a block, rotated by `turn` lanes, as a record of the fields in List. numbers: the component of
    // each.
    template <class List, class Numbers>
    [[gnu::always_inline]] static Record<List, V> fields_of(const R* block, std::size_t turn, const Numbers& numbers) {
        Record<List, V> record;
        record.each_component([&](V& value, std::size_t c) __attribute__((always_inline)) {
            value = load_unaligned(block + pitch * numbers[c] + turn);
        });
        return record;
    }
    [[gnu::always_inline]] static Record<Target, V> target(const R* block, std::size_t turn) {
        return fields_of<Target>(block, turn, TargetComponents<I>::value);
    }
    [[gnu::always_inline]] static Record<Source, V> source(const R* block, std::size_t turn) {
        struct Same {
            std::size_t operator[](std::size_t c) const { return c; }
        };
        return fields_of<Source>(block, turn, Same{});
    }

    // The mask of the pairs of a row that interact.
    template <bool Masked>
    [[gnu::always_inline]] static typename V::Mask interacting(const I& interaction, const Vec3<V>& d,
                                                               const PairMask& counting, std::size_t turn) {
        typename V::Mask mask(true);
        // The order of terms is that of interactions, so that the compiler computes r^2 once.
        if constexpr (ShortRange<I>)
            mask = d.x * d.x + (d.y * d.y + d.z * d.z) < V(static_cast<R>(interaction.cutoff * interaction.cutoff));
        if constexpr (Masked) mask = mask && V(0.0f) < V(load_unaligned(counting.first + turn * counting.stride));
        return mask;
    }

    // Adds the force of j on i; the separation d is from i to j, and i stands at the origin, since only d matters. The
    // compiler shares common terms with the reverse direction, -d.
    [[gnu::always_inline]] static void add_force(const I& interaction, Record<Target, V> i, Record<Source, V> j,
                                                 const Vec3<V>& d, Sums& sums) {
        i[fields::position] = {V(0.0f), V(0.0f), V(0.0f)};
        j[fields::position] = d;
        interaction(i, j, sums);
    }

    [[gnu::always_inline]] static void gate(Sums& sums, const typename V::Mask& counts) {
        sums.each_component([&](Gated<V>& sum, std::size_t) __attribute__((always_inline)) { sum.counts = counts; });
    }

    // The pairs of i with j rotated by `turn` lanes; Both: in both directions, else the force of j on i alone.
    template <bool Periodic, bool Masked, bool Both, bool Sparse>
    [[gnu::always_inline]] void row(const I& interaction, const R* a, const R* b, std::size_t turn,
                                    const PairMask& mask, Sums& of_i, Sums& of_j) const {
        const auto i = target(a, 0);
        const auto j = source(b, turn);
        const Vec3<V> d = box_.separation<Periodic>(i[fields::position], j[fields::position]);
        const auto counts = interacting<Masked>(interaction, d, mask, turn);
        if (Sparse && bits_of(counts) == 0) return;
        gate(of_i, counts);
        add_force(interaction, i, j, d, of_i);
        if constexpr (!Both) return;
        gate(of_j, counts);
        add_force(interaction, target(b, turn), source(a, 0), {-d.x, -d.y, -d.z}, of_j);
    }

    template <int By>
    [[gnu::always_inline]] static void turn_by(Sums& sums) {
        sums.each_component([](Gated<V>& sum, std::size_t c) __attribute__((always_inline)) {
            if (summed(c)) sum.total.part[0] = turned<R, By>(sum.total.part[0]);
        });
    }

    const I& interaction_;
    SystemBox box_;
};

TRELLIS_ISA_END
}  // namespace trellis
