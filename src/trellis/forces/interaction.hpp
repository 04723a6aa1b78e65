// An interaction as a user writes it: one pair of particles, as in the textbook.
//
//     struct Gravity {
//         using Target = Fields<Position>;                 // what an i-particle brings (FDPS: EPI)
//         using Source = Fields<Position, Mass>;           // what a j-particle brings (FDPS: EPJ; a whole cell: SPJ)
//         using Result = Fields<Acceleration, Potential>;  // what is summed (FDPS: FORCE)
//         void operator()(const auto& i, const auto& j, auto& sum) const { ... sum[potential] -= ...; }
//     };
//
// The same text is compiled for scalars and for SIMD batches: i[position] is a Vec3<V>, j[mass] a V, where V is double,
// float or a batch of either. Position is the first of the fields of Target and Source. A particle never
// interacts with itself.
//
// clang-format off: the table
// Optional members:
//   using Strength = Mass;             the Source field whose multipole moments a cell has; its absolute value weights
//                                      a cell's centre. Default: the first field of Source after Position.
//   using Softening = SofteningLength; a field of Target and Source, a length e of i and of j: the interaction depends
//                                      on r^2 + (e_i^2 + e_j^2) / 2 (tree/softening.hpp), which radial receives as r2.
//                                      A cell that acts as a whole has the root mean square of its particles' e.
//   double softening_length() const    a length within which the interaction no longer changes with the distance faster
//                                      than at it, so that closer pairs need no more digits (tree/kernels/
//                                      close_pairs.hpp). Default: the least Softening, or 0.
//   radial, far_field                  make multipoles beyond the monopole possible: see Expandable.
//   void finish(auto& sum) const       such as a constant factor: called for each i-particle, with its whole sum or
//                                      with parts that are then added (local, imported); so it must be linear.
// clang-format on
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "trellis/particles/field.hpp"

namespace trellis {

template <class... F>
struct Fields {
    static constexpr std::size_t components = (std::size_t{0} + ... + F::components);
};

template <class F, class V>
using ValueOf = std::conditional_t<F::components == 3, Vec3<V>, V>;

// The value of one field.
template <class F, class V>
struct Slot {
    ValueOf<F, V> value;
    TRELLIS_INLINE ValueOf<F, V>& operator[](F) { return value; }
    TRELLIS_INLINE const ValueOf<F, V>& operator[](F) const { return value; }
};

// One particle, or one for each lane of a batch, with the fields of a list: record[mass], record[position].x
template <class List, class V>
struct Record;

template <class... F, class V>
struct Record<Fields<F...>, V> : Slot<F, V>... {
    using Slot<F, V>::operator[]...;

    // A field that is not on the list: an error in one sentence, and a value that causes no second error.
    template <class Absent>
        requires(!(std::is_same_v<Absent, F> || ...))
    TRELLIS_INLINE auto& operator[](Absent) const {
        static_assert((std::is_same_v<Absent, F> || ...),
                      "an interaction uses a field that it does not list: i[...] reads fields of Target, j[...] reads "
                      "fields of Source, sum[...] has those of Result (and of Maximum and Minimum)");
        return *static_cast<ValueOf<Absent, V>*>(nullptr);
    }

    // Calls visit(component, number) for each component, in the order of the list.
    template <class Visit>
    TRELLIS_INLINE void each_component(Visit&& visit) {
        std::size_t number = 0;
        (visit_slot(static_cast<Slot<F, V>&>(*this).value, visit, number), ...);
    }

  private:
    template <class Value, class Visit>
    TRELLIS_INLINE static void visit_slot(Value& value, Visit& visit, std::size_t& number) {
        if constexpr (std::is_same_v<Value, V>) {
            visit(value, number++);
        } else {
            visit(value.x, number++);
            visit(value.y, number++);
            visit(value.z, number++);
        }
    }
};

// Calls visit(of_a, of_b) for each component of two records of the same fields.
template <class... F, class V, class W, class Visit>
TRELLIS_INLINE void zip(Record<Fields<F...>, V>& a, Record<Fields<F...>, W>& b, Visit&& visit) {
    const auto visit_field = [&]<class Named>(Named field) __attribute__((always_inline)) {
        if constexpr (Named::components == 3) {
            visit(a[field].x, b[field].x);
            visit(a[field].y, b[field].y);
            visit(a[field].z, b[field].z);
        } else {
            visit(a[field], b[field]);
        }
    };
    (visit_field(F{}), ...);
}

template <class List>
struct FirstTwo;
template <class First, class Second, class... Rest>
struct FirstTwo<Fields<First, Second, Rest...>> {
    using SecondField = Second;
    static constexpr bool starts_with_position = std::is_same_v<First, Position>;
};

// tree_force names in one sentence the members that an interaction lacks: interaction_check.hpp.
template <class I>
concept Interaction =
    std::is_trivially_copyable_v<I> && FirstTwo<typename I::Source>::starts_with_position && requires {
        typename I::Target;
        typename I::Result;
    };

template <class I>
struct StrengthOf {
    using type = typename FirstTwo<typename I::Source>::SecondField;
};
template <class I>
    requires requires { typename I::Strength; }
struct StrengthOf<I> {
    using type = typename I::Strength;
};

template <class I>
concept Softened = requires { typename I::Softening; };

// An interaction that is the gradient of a central potential, phi = sum over j of strength_j f(|d|). It has
//   std::array<V, N> radial<N>(r2, unit2): the N values g_n unit2^n, n = 0, 1, ..., at squared distance r2, where
//     g_0 = f and g_(n+1) = (1/r) dg_n/dr. unit2, a squared length, keeps them in the range of single precision.
//   void far_field(i, phi, gradient, sum): adds the effect of phi and its gradient on an i-particle.
template <class I>
concept Expandable = Interaction<I> && requires(const I& interaction) {
    { interaction.template radial<3>(1.0, 1.0) } -> std::same_as<std::array<double, 3>>;
};

}  // namespace trellis
