// The potential of a pair as an interaction that expansions know: M2L and M2P. For kernel sources only.
#pragma once

#include <array>
#include <span>

#include "trellis/forces/interaction.hpp"
#include "trellis/forces/run_time/run_time_pair.hpp"
#include "trellis/forces/tree/kernels/far_cells.hpp"

namespace trellis {
TRELLIS_ISA_BEGIN

struct RunTimeField {
    using Target = Fields<Position, Mass>;  // not read: fields are known when the program runs
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration, Potential>;
    static constexpr bool strength_has_one_sign = false;

    const RunTimePair* pair;

    template <int N>
    std::array<double, N> radial(double r2, double unit2) const {
        double all[run_time_derivatives];
        pair->radial(pair->context(), &r2, &unit2, all);
        std::array<double, N> g;
        std::copy_n(all, N, g.begin());
        return g;
    }
    template <int N, class V>
    std::array<V, N> radial_of_vectors(const V& r2, const V& unit2) const {
        using R = std::remove_cvref_t<decltype(r2[0])>;
        static_assert(N <= run_time_derivatives);
        alignas(64) R arguments[2][lanes<R>], all[run_time_derivatives][lanes<R>];
        store_unaligned<R>(r2, arguments[0]);
        store_unaligned<R>(unit2, arguments[1]);
        pair->loops<R>().radial(pair->context(), arguments[0], arguments[1], all[0]);
        std::array<V, N> g;
        for (std::size_t n = 0; n < N; ++n) g[n] = load_unaligned<R>(all[n]);
        return g;
    }
};

// See FieldSteps.
template <int Order, class R>
void add_run_time_local(const RunTimePair& pair, const SplitPosition<R>& centre, R unit, R widening,
                        std::span<const std::uint32_t> far, const R* rows, R* local) {
    add_local_of_cells<Order>(RunTimeField{&pair}, centre, unit, widening, far, rows, local);
}
template <int Order, class R>
void add_run_time_field(const RunTimePair& pair, const SplitPosition<R>& centre, std::span<const std::uint32_t> cells,
                        const R* rows, const std::array<const R*, 3>& positions, const R* softenings, std::size_t count,
                        FieldValue<Vector<R>>* sums) {
    add_field_of_cells<Order>(RunTimeField{&pair}, centre, cells, rows, positions, softenings, count, sums);
}

TRELLIS_ISA_END
}  // namespace trellis
