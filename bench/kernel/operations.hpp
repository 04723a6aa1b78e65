// Counts the operations of an interaction by running it on numbers that count. A reciprocal square root counts as 4, as
// in the convention by which a monopole interaction with potential has 23.
#pragma once

#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/tree/expansions/l2l.hpp"
#include "trellis/forces/tree/expansions/l2p.hpp"
#include "trellis/forces/tree/expansions/m2l.hpp"
#include "trellis/forces/tree/expansions/m2m.hpp"
#include "trellis/forces/tree/expansions/m2p.hpp"

namespace bench {

struct Counted {
    inline static int operations = 0;

    Counted(double = 0) {}  // NOLINT(google-explicit-constructor): constants are converted
    friend Counted operator+(Counted, Counted) { return count(1); }
    friend Counted operator-(Counted, Counted) { return count(1); }
    friend Counted operator*(Counted, Counted) { return count(1); }
    friend Counted operator/(Counted, Counted) { return count(1); }
    friend Counted operator-(Counted) { return {}; }
    friend bool operator<(Counted, Counted) { return false; }
    Counted& operator+=(Counted) { return *this = count(1); }
    Counted& operator-=(Counted) { return *this = count(1); }

    static Counted count(int number) {
        operations += number;
        return {};
    }
};

}  // namespace bench

template <>
struct trellis::MathOf<bench::Counted> {
    using Argument = bench::Counted;
    static bench::Counted rsqrt(bench::Counted) { return bench::Counted::count(4); }
    static bench::Counted constant(bench::Counted) { return {}; }
};

namespace bench {

// Operations of an interaction between an i-particle and a j-particle.
inline int monopole_operations() {
    using namespace trellis;
    Counted::operations = 0;
    Record<Gravity::Result, Counted> sum;
    Gravity{}(Record<Gravity::Target, Counted>{}, Record<Gravity::Source, Counted>{}, sum);
    return Counted::operations;
}

// Operations of an interaction between an i-particle and a superparticle with a quadrupole.
inline int quadrupole_operations() {
    using namespace trellis;
    Counted::operations = 0;
    Vec3<Counted> from_centre, place;
    FieldValue<Counted> sum;
    const Terms<Counted, 2> moment;
    const auto value = field_of_cells<2>(Gravity{}, from_centre + place, Counted(), Counted(), moment);
    sum.phi += value.phi;
    sum.gradient += value.gradient;
    constexpr int shared_by_group = 2;  // side^2 and 1 / side are computed once per group
    return Counted::operations - shared_by_group;
}

// Operations of the steps of expansions of gravity, of an order: of a particle (P2M, L2P), of a pair of cells (M2M,
// M2L, L2L), of an i-particle and a cell (M2P).
struct ExpansionOperations {
    int p2m, m2m, m2l, l2l, l2p, m2p;
};

template <int Order>
ExpansionOperations expansion_operations() {
    using namespace trellis;
    const auto counted = [](auto&& work) {
        Counted::operations = 0;
        work();
        return Counted::operations;
    };
    const Counted row[RowLayout<Order>::used];
    const CellRow<Order, Counted> cell(row);
    const Vec3<Counted> place;
    Terms<Counted, Order> terms{}, sums{};
    return {.p2m = counted([&] {
                const auto power = powers<Order>(Vec3<Counted>{place.x * 1, place.y * 1, place.z * 1});
                for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += Counted() * power[k];
            }),
            .m2m = counted([&] { shift_multipole<Order>(terms.data(), place, Counted(), sums.data()); }),
            .m2l = counted(
                [&] { add_local<Order>(Gravity{}, cell, SplitPosition<Counted>(row), Counted(), Counted(), sums); }),
            .l2l = counted([&] { add_parents_local<Order>(terms.data(), place, Counted(), sums.data()); }),
            .l2p = counted([&] { evaluate_local<Order>(terms, place); }),
            .m2p = counted([&] { field_of_cells<Order>(Gravity{}, place, Counted(), Counted(), terms); })};
}

}  // namespace bench
