// The row of a cell with multipole moments, and one such cell. For kernel sources and for GPUs.
#pragma once

#include "trellis/base/workspace.hpp"
#include "trellis/forces/row_records.hpp"
#include "trellis/forces/tree/expansions/expansion.hpp"
#include "trellis/forces/tree/expansions/split_position.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

// A cell with moments: these, its centre relative to the root's corner as a rounded value and the rest, its unit of
// length, and the widening of squared distances by its softening.
template <int Order>
struct RowLayout {
    static constexpr std::size_t centre = static_cast<std::size_t>(terms(Order));
    static constexpr std::size_t rest = centre + 3;
    static constexpr std::size_t unit = rest + 3;
    static constexpr std::size_t widening = unit + 1;
    static constexpr std::size_t used = widening + 1;
};

template <int Order, class R>
inline constexpr std::size_t row_stride = whole_lines<R>(RowLayout<Order>::used);

// A cell with its moments, from its row.
template <int Order, class R>
class CellRow {
  public:
    using V = R;
    using Layout = RowLayout<Order>;

    TRELLIS_INLINE explicit CellRow(const R* row) : row_(row) {}

    TRELLIS_INLINE SplitPosition<R> centre() const { return SplitPosition<R>(row_ + Layout::centre); }
    TRELLIS_INLINE R unit() const { return row_[Layout::unit]; }
    TRELLIS_INLINE R widening() const { return row_[Layout::widening]; }
    // origin - centre.
    TRELLIS_INLINE Vec3<R> from_centres(const SplitPosition<R>& origin) const { return difference(origin, centre()); }

    // (-1)^|m| M_m, in units of unit / ratio.
    TRELLIS_INLINE Terms<R, Order> moments(const R& ratio) const {
        const auto scale = powers_of<Order>(R(-ratio));
        Terms<R, Order> result;
        [&]<int... M>(std::integer_sequence<int, M...>) __attribute__((always_inline)) {
            ((result[M] = row_[M] * scale[power_of(M).order()]), ...);
        }(Numbers<terms(Order)>{});
        return result;
    }

  private:
    const R* row_;
};

// Adds the effect of a field on an i-particle, given by its row, to its results. origin: the row of another particle,
// to which positions are relative.
template <Expandable I, class R>
TRELLIS_INLINE void add_far_field(const I& interaction, const R* row, const R* origin, const FieldValue<R>& value,
                                  R* results) {
    const Record<typename I::Target, R> target = target_of<I, R>(row, origin);
    Record<typename I::Result, R> sum{};
    sum.each_component([&](R& component, std::size_t c) { component = results[c]; });
    interaction.far_field(target, value.phi, value.gradient, sum);
    sum.each_component([&](R& component, std::size_t c) { results[c] = component; });
}

TRELLIS_ISA_END
}  // namespace trellis
