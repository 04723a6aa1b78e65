// The force of a mixture against direct summation of textbook formulae, written here for each pair of kinds.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/decorators/among_types.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/particle_models.hpp"

namespace trellis::mixture_force_test {

using namespace fields;

constexpr std::array all_truncations{Truncation::plain, Truncation::energy_shifted, Truncation::force_shifted,
                                     Truncation::switched};

// Kinds of random depths and sizes; the first two do not follow the rule.
Mixture random_mixture(std::size_t kinds, Truncation truncation = Truncation::plain) {
    models::Random random(7);
    Mixture mixture;
    for (std::size_t k = 0; k < kinds; ++k)
        mixture.kinds.push_back({"k" + std::to_string(k), random.uniform(0.2, 2), random.uniform(0.9, 1.1)});
    if (kinds > 1) mixture.pairs = {{"k0", "k1", 3, 0.8}};
    mixture.truncation = truncation;
    mixture.cutoff = 2.3;
    mixture.switch_ratio = 0.8;
    return mixture;
}

// Atoms of random kinds and two masses about the cells of a lattice, in a periodic box.
ParticleSet fluid(std::size_t cells, std::size_t kinds) {
    constexpr double spacing = 1.15;
    ParticleSet atoms(cells * cells * cells);
    const double side = spacing * static_cast<double>(cells);
    atoms.set_region({{0, 0, 0}, {side, side, side}});
    models::Random random(1);
    const auto of_each = atoms.add(particle_kind);
    for (std::size_t row = 0; row < atoms.size(); ++row) {
        const std::array cell{row % cells, row / cells % cells, row / cells / cells};
        for (std::size_t axis = 0; axis < 3; ++axis)
            atoms[position][row][axis] = spacing * (static_cast<double>(cell[axis]) + random.uniform(0.4, 0.6));
        atoms[mass][row] = row % 2 == 0 ? 1 : 2.5;
        of_each[row] = std::floor(random.uniform(0, static_cast<double>(kinds)));
    }
    return atoms;
}

struct Textbook {
    double energy, slope;
};

Textbook textbook(double r, const PairParameters& pair) {
    const double s6 = std::pow(pair.sigma / r, 6);
    return {4 * pair.epsilon * (s6 * s6 - s6), 4 * pair.epsilon * (6 * s6 - 12 * s6 * s6) / r};
}

Textbook truncated(double r, const PairParameters& pair, Truncation truncation, double ratio) {
    const double c = pair.cutoff, s = ratio * c;
    if (r >= c) return {0, 0};
    const Textbook at = textbook(r, pair), end = textbook(c, pair);
    if (truncation == Truncation::energy_shifted) return {at.energy - end.energy, at.slope};
    if (truncation == Truncation::force_shifted)
        return {at.energy - end.energy - (r - c) * end.slope, at.slope - end.slope};
    if (truncation == Truncation::plain || r < s) return at;
    const double x = (r - s) / (c - s);
    const double taper = 1 - 10 * std::pow(x, 3) + 15 * std::pow(x, 4) - 6 * std::pow(x, 5);
    const double change = (-30 * x * x + 60 * std::pow(x, 3) - 30 * std::pow(x, 4)) / (c - s);
    return {at.energy * taper, at.slope * taper + at.energy * change};
}

struct Sum {
    Vec3<double> acceleration{0, 0, 0};
    double potential = 0, virial = 0;
};

Sum summed(const ParticleSet& atoms, const Mixture& mixture, std::size_t i) {
    const auto pairs = parameters_of_pairs(mixture);
    const auto number = [&](std::size_t row) { return static_cast<std::size_t>(atoms[particle_kind][row]); };
    const double side = atoms.region().high.x;
    Sum sum;
    for (std::size_t j = 0; j < atoms.size(); ++j) {
        if (j == i) continue;
        Vec3<double> d = atoms[position][j] - atoms[position][i];
        for (std::size_t axis = 0; axis < 3; ++axis) d[axis] -= side * std::round(d[axis] / side);
        const PairParameters& pair = pairs[number(i) * mixture.kinds.size() + number(j)];
        const Textbook u = truncated(norm(d), pair, mixture.truncation, mixture.switch_ratio);
        sum.acceleration += (u.slope / norm(d) / atoms[mass][i]) * d;
        sum.potential += u.energy / atoms[mass][i];
        sum.virial -= u.slope * norm(d);
    }
    return sum;
}

void expect_textbook(const Mixture& mixture, const ShortRangeSettings& settings, std::size_t cells = 7) {
    ParticleSet atoms = fluid(cells, mixture.kinds.size());
    const auto force = lennard_jones(mixture, settings);
    compute(*force, atoms);
    const double digits = settings.precision == Precision::single_ ? 3e-6 : 1e-13;
    for (std::uint32_t row = 0; row < atoms.size(); row += 5) {
        const Sum exact = summed(atoms, mixture, row);
        EXPECT_LT(norm(atoms[acceleration][row] - exact.acceleration), digits * (norm(exact.acceleration) + 100));
        EXPECT_NEAR(atoms[potential][row], exact.potential, digits * 40);
        EXPECT_NEAR(atoms[virial][row], exact.virial, digits * (std::abs(exact.virial) + 200));
        std::array<double, 5> reference;
        force->reference(atoms, atoms, row, row, 0, reference.data());
        EXPECT_NEAR(reference[3], exact.potential, 1e-13 * 40);
        EXPECT_NEAR(reference[4], exact.virial, 1e-13 * (std::abs(exact.virial) + 200));
    }
}

TEST(MixtureForce, is_the_sum_over_pairs_by_their_kinds) {
    for (const std::size_t kinds : {1, 2, 8, 17, 27, 33, 64})
        for (const Precision precision : {Precision::single_, Precision::double_})
            expect_textbook(random_mixture(kinds), {.precision = precision});
}

TEST(MixtureForce, ends_in_each_way) {
    for (const Truncation truncation : all_truncations)
        for (const Precision precision : {Precision::single_, Precision::double_})
            for (const bool in_sigma : {false, true}) {
                Mixture mixture = random_mixture(5, truncation);
                mixture.cutoff_in_sigma = in_sigma;
                expect_textbook(mixture, {.precision = precision});
            }
}

TEST(MixtureForce, is_the_same_on_a_device) {
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const std::size_t kinds : {2, 27, 64})
            expect_textbook(random_mixture(kinds, Truncation::switched),
                            {.precision = precision, .device = open_device("cpu")});
}

TEST(MixtureForce, of_equal_kinds_is_that_of_one_kind) {
    for (const Truncation truncation : all_truncations) {
        Mixture mixture;
        for (std::size_t k = 0; k < 3; ++k) mixture.kinds.push_back({"k" + std::to_string(k), 1.3, 1.05});
        mixture.cutoff = 2.6;
        mixture.truncation = truncation;
        ParticleSet of_many = fluid(7, 3), of_one = fluid(7, 3);
        compute(*lennard_jones(mixture, {.precision = Precision::double_}), of_many);
        compute(*lennard_jones(1.3, 1.05, 2.6, truncation, {.precision = Precision::double_}), of_one);
        for (std::size_t row = 0; row < of_one.size(); ++row)
            EXPECT_NEAR(of_many[potential][row], of_one[potential][row], 1e-12);
    }
}

TEST(MixtureForce, takes_kinds_by_the_names_of_types) {
    Mixture mixture;
    mixture.kinds = {{"stars", 0.5, 0.9}, {"gas", 1.5, 1.1}};
    ParticleSet by_type = fluid(6, 2), by_kind = fluid(6, 2);
    ParticleSet typed(by_type.size());
    typed.set_region(by_type.region());
    const auto types = typed.add(particle_type);
    for (std::size_t row = 0; row < typed.size(); ++row) {
        typed[position][row] = by_type[position][row];
        typed[mass][row] = by_type[mass][row];
        types[row] = by_type[particle_kind][row] == 0 ? 4 : 0;  // stars, gas
    }
    compute(*lennard_jones(mixture), typed);
    compute(*lennard_jones(mixture), by_kind);
    for (std::size_t row = 0; row < typed.size(); ++row) EXPECT_EQ(typed[potential][row], by_kind[potential][row]);
    ParticleSet other(1);
    other.add(particle_type)[0] = 1;
    EXPECT_EQ(message_of([&] { lennard_jones(mixture)->attach(other, 0); }),
              "the particles have no field `kind`, and kinds does not have their type halo: allowed are kinds with the "
              "names of types, or a field `kind`, with numbers 0 (stars) to 1 (gas)");
}

TEST(MixtureForce, says_what_atoms_need) {
    const Mixture mixture = random_mixture(3);
    ParticleSet without(2);
    EXPECT_EQ(message_of([&] { compute(*lennard_jones(mixture), without); }),
              "the particles have no kinds: allowed are a field `kind`, with numbers 0 (k0) to 2 (k2)");
    for (const double wrong : {3.0, -1.0, 0.5}) {
        ParticleSet atoms = fluid(4, 3);
        atoms[particle_kind][9] = wrong;
        EXPECT_EQ(message_of([&] { compute(*lennard_jones(mixture), atoms); }),
                  "kind of row 9 is " + to_text(wrong) + ": allowed are numbers 0 (k0) to 2 (k2)");
    }
}

}  // namespace trellis::mixture_force_test
