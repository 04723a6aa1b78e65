// A force of short range as a user writes it: one pair interaction, and the search radius within which particles
// interact.
//
//     struct SoftSpheres {
//         using Target = Fields<Position, Mass>;           // what an i-particle brings (FDPS: EPI)
//         using Source = Fields<Position>;                 // what a j-particle brings (FDPS: EPJ)
//         using Result = Fields<Acceleration, Potential>;  // what is summed (FDPS: FORCE)
//         using Search = Cutoff;                           // the pairs: those nearer than the member cutoff
//         double cutoff;
//         void operator()(const auto& i, const auto& j, auto& sum) const { ... sum[potential] += ...; }
//     };
//
// The same text is compiled for scalars and for SIMD batches, as for forces of long range (interaction.hpp). Only pairs
// within the search radius count: the outcome of operator() for others, even if infinite, is dropped. A particle never
// interacts with itself; in a periodic box it interacts with each image of another within the search radius.
//
// clang-format off: the table
// Optional members:
//   using Maximum = Fields<...>;       the largest value is kept, not the sum: sum[signal_speed].raise_to(v)
//   using Minimum = Fields<...>;       the same with lower_to. Both are 0 for a particle without neighbours.
//   using Evolves = Rates<AngularVelocity, Torque>;
//                                      value and rate, in turn: the value is kicked by the rate, a field of Result,
//                                      as velocities are
//   void finish(const auto& i, auto& sum) const
//                                      called once for each i-particle, after all pairs, in double precision: constant
//                                      factors, a term of the particle alone. If it is not linear, the force is no sum
//                                      over pairs (kernels/linear_finish.hpp).
// Velocities, and other evolving values, are predicted for the time of the positions.
// clang-format on
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "trellis/base/isa.hpp"
#include "trellis/base/math.hpp"
#include "trellis/forces/interaction.hpp"

namespace trellis {

// The pairs that interact: r is the distance between i and j, F a field with a radius of each particle (FDPS's search
// modes).
template <class F>
struct Gather {};  // r < F of i, which is in Target
template <class F>
struct Scatter {};  // r < F of j, which is in Source
template <class F>
struct Symmetric {};  // r < F of either: in Target and in Source
struct Cutoff {};     // r < the member cutoff of the interaction

template <class Search>
struct SearchTraits;
template <>
struct SearchTraits<Cutoff> {
    using Radius = void;
};
template <class F>
struct SearchTraits<Gather<F>> {
    using Radius = F;
};
template <class F>
struct SearchTraits<Scatter<F>> {
    using Radius = F;
};
template <class F>
struct SearchTraits<Symmetric<F>> {
    using Radius = F;
};

template <class I>
concept ShortRange = std::is_trivially_copyable_v<I> && requires {
    typename I::Target;
    typename I::Source;
    typename I::Result;
    typename SearchTraits<typename I::Search>::Radius;
};

template <class I>
struct MaximumOf {
    using type = Fields<>;
};
template <class I>
    requires requires { typename I::Maximum; }
struct MaximumOf<I> {
    using type = typename I::Maximum;
};
template <class I>
struct MinimumOf {
    using type = Fields<>;
};
template <class I>
    requires requires { typename I::Minimum; }
struct MinimumOf<I> {
    using type = typename I::Minimum;
};

// The kind of a particle, a row of the tables of an interaction by kinds.
struct ParticleKind : Field<double, "kind", "", "kind of a particle, 0, 1, ..., for forces with tables by kinds"> {};
namespace fields {
inline constexpr ParticleKind particle_kind;
}  // namespace fields

// An interaction of Trellis whose parameters differ between kinds of particles. OfKinds = Fields<...> are those of each
// pair of kinds, which a member KindTable kinds has; operator()(i, j, of_kinds, sum) reads them as of_kinds[...], but
// not the kinds themselves. ParticleKind is a field of Target and Source, Search is Cutoff. The member cutoff is the
// largest of all pairs, reach_squared(of_kinds) the square of that of a pair.
template <class I>
concept ByKinds = requires { typename I::OfKinds; };

// The parameters of a pair of kinds for other interactions: none.
struct NoKinds {};

// Fields that evolve, each followed by the field that it is kicked by.
template <class... ValueThenRate>
struct Rates {};

template <class I>
struct EvolvesOf {
    using type = Rates<>;
};
template <class I>
    requires requires { typename I::Evolves; }
struct EvolvesOf<I> {
    using type = typename I::Evolves;
};

template <class... Lists>
struct Joined;
template <class... A, class... B, class... C>
struct Joined<Fields<A...>, Fields<B...>, Fields<C...>> {
    using type = Fields<A..., B..., C...>;
};

// The outcome of an interaction for an i-particle: sums, then maxima, then minima.
template <class I>
using OutcomeOf = typename Joined<typename I::Result, typename MaximumOf<I>::type, typename MinimumOf<I>::type>::type;

// The outcome of a comparison of two values.
template <class V>
using MaskOf = decltype(std::declval<const V&>() < std::declval<const V&>());

// One component of an outcome that takes only pairs within the search radius.
template <class V>
struct Gated {
    V total;
    MaskOf<V> counts;

    TRELLIS_INLINE Gated& operator+=(const V& value) {
        total = select(counts, V(total + value), total);
        return *this;
    }
    TRELLIS_INLINE Gated& operator-=(const V& value) {
        total = select(counts, V(total - value), total);
        return *this;
    }
    TRELLIS_INLINE void raise_to(const V& value) { total = select(counts && total < value, value, total); }
    TRELLIS_INLINE void lower_to(const V& value) { total = select(counts && value < total, value, total); }
};

// The square of the distance within which i and j interact. of_kinds: their parameters by kinds, or NoKinds.
template <class V, class I, class Target, class Source, class OfKinds>
TRELLIS_HOST_DEVICE __attribute__((always_inline)) inline V reach_squared(const I& interaction, const Target& i,
                                                                          const Source& j, const OfKinds& of_kinds) {
    using Radius = typename SearchTraits<typename I::Search>::Radius;
    if constexpr (ByKinds<I>) return interaction.reach_squared(of_kinds);
    V reach;
    if constexpr (std::is_same_v<typename I::Search, Cutoff>) {
        reach = MathOf<V>::constant(interaction.cutoff);
    } else if constexpr (std::is_same_v<typename I::Search, Gather<Radius>>) {
        reach = i[Radius{}];
    } else if constexpr (std::is_same_v<typename I::Search, Scatter<Radius>>) {
        reach = j[Radius{}];
    } else {
        reach = max(V(i[Radius{}]), V(j[Radius{}]));
    }
    return reach * reach;
}

// Adds the effect of j on i.
template <class I, class Target, class Source, class OfKinds, class Sums>
TRELLIS_HOST_DEVICE __attribute__((always_inline)) inline void add_pair(const I& interaction, const Target& i,
                                                                        const Source& j, const OfKinds& of_kinds,
                                                                        Sums& sums) {
    if constexpr (ByKinds<I>)
        interaction(i, j, of_kinds, sums);
    else
        interaction(i, j, sums);
}

}  // namespace trellis
