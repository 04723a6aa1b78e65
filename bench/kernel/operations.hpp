// Counts the operations of an interaction by running it on numbers that count. A reciprocal square root counts as 4, as
// in the convention by which a monopole interaction with potential has 23.
#pragma once

#include "trellis/forces/gravity/gravity.hpp"
#include "trellis/forces/tree/expansions/m2p.hpp"

namespace bench {

struct Counted {
    inline static int operations = 0;

    Counted(double = 0) {}  // NOLINT(google-explicit-constructor): constants are converted
    friend Counted operator+(Counted, Counted) { return count(1); }
    friend Counted operator-(Counted, Counted) { return count(1); }
    friend Counted operator*(Counted, Counted) { return count(1); }
    friend Counted operator/(Counted, Counted) { return count(1); }
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
    static bench::Counted constant(double) { return {}; }
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

}  // namespace bench
