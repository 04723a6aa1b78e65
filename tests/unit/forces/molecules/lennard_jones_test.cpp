// Lennard-Jones against lattices, textbook formulae, finite differences and another code's figures, pair by pair in
// double precision.
#include "trellis/forces/molecules/lennard_jones.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "unit/particle_models.hpp"

namespace trellis::lennard_jones_test {

using namespace fields;

constexpr std::array all_truncations{Truncation::plain, Truncation::energy_shifted, Truncation::force_shifted,
                                     Truncation::switched};

using Result = Record<LennardJones::Result, double>;

struct Atom {
    Vec3<double> position;
    double mass;
};

// The results of an atom, summed over all other atoms in the precision of V.
template <class V = double>
Result taken_by(const Atom& atom, const std::vector<Atom>& others, const LennardJones& force) {
    Record<LennardJones::Result, V> sum;
    sum.each_component([](V& value, std::size_t) { value = 0; });
    const auto rounded = [](const Vec3<double>& at) {
        return Vec3<V>{static_cast<V>(at.x), static_cast<V>(at.y), static_cast<V>(at.z)};
    };
    Record<LennardJones::Target, V> i;
    i[position] = rounded(atom.position);
    i[mass] = static_cast<V>(atom.mass);
    for (const Atom& other : others) {
        const Vec3<double> d = other.position - atom.position;
        Record<LennardJones::Source, V> j;
        j[position] = rounded(other.position);
        if (dot(d, d) > 0 && dot(d, d) < force.cutoff * force.cutoff) force(i, j, sum);
    }
    Result whole;
    whole[acceleration] = {sum[acceleration].x, sum[acceleration].y, sum[acceleration].z};
    whole[potential] = sum[potential];
    whole[virial] = sum[virial];
    Record<LennardJones::Target, double> exact_i;
    exact_i[mass] = atom.mass;
    force.finish(exact_i, whole);
    return whole;
}

// Seven atoms of different masses, no two nearer than sigma = 1.3, all within a few sigma.
std::vector<Atom> cluster(double scale = 1) {
    models::Random random(4);
    std::vector<Atom> atoms;
    for (const Vec3<double>& at : {Vec3<double>{0, 0, 0},
                                   {1.5, 0, 0},
                                   {0, 1.6, 0},
                                   {0.2, 0.1, 1.7},
                                   {3, 0.5, 0.5},
                                   {1.5, 1.5, 1.5},
                                   {-1, -2, 1}})
        atoms.push_back({scale * (at + 0.05 * random.in_cube()), random.uniform(1, 3)});
    return atoms;
}

LennardJones between_clustered(Truncation truncation) { return {2.5, 1.3, 2.9, truncation, 0.5}; }

double energy_of(const std::vector<Atom>& atoms, const LennardJones& force) {
    double energy = 0;
    for (const Atom& atom : atoms) energy += 0.5 * atom.mass * taken_by(atom, atoms, force)[potential];
    return energy;
}

// The results of an atom of mass 1 with another of mass 1 at distance r along x.
Result pair_at(double r, const LennardJones& force) {
    const Atom here{{0, 0, 0}, 1};
    return taken_by(here, {{{r, 0, 0}, 1}}, force);
}

TEST(LennardJones, pair_energy_is_the_textbooks) {
    const double epsilon = 0.7, sigma = 1.1, cutoff = 2.6;
    const auto u = [&](double r) { return 4 * epsilon * (std::pow(sigma / r, 12) - std::pow(sigma / r, 6)); };
    const auto slope = [&](double r) {
        return 4 * epsilon * (-12 * std::pow(sigma / r, 12) + 6 * std::pow(sigma / r, 6)) / r;
    };
    for (const double r : {0.9, 1.1, 1.3, 2.0, 2.59}) {
        const auto energy = [&](Truncation truncation) {
            return pair_at(r, LennardJones(epsilon, sigma, cutoff, truncation))[potential];
        };
        EXPECT_NEAR(energy(Truncation::plain), u(r), 1e-13 * (1 + u(r)));
        EXPECT_NEAR(energy(Truncation::energy_shifted), u(r) - u(cutoff), 1e-13 * (1 + u(r)));
        EXPECT_NEAR(energy(Truncation::force_shifted), u(r) - u(cutoff) - (r - cutoff) * slope(cutoff),
                    1e-13 * (1 + u(r)));
    }
}

TEST(LennardJones, is_zero_at_sigma_and_deepest_at_its_minimum) {
    const LennardJones force(3, 1.2, 4, Truncation::plain);
    EXPECT_NEAR(pair_at(1.2, force)[potential], 0, 1e-13);
    const Result minimum = pair_at(1.2 * std::pow(2, 1 / 6.0), force);
    EXPECT_NEAR(minimum[potential], -3, 1e-13);
    EXPECT_NEAR(minimum[acceleration].x, 0, 1e-12);
    EXPECT_LT(pair_at(1.2, force)[acceleration].x, 0);  // away from the other atom, which is at x > 0
}

TEST(LennardJones, what_is_shifted_vanishes_at_the_cutoff) {
    const double before = 2.5 * (1 - 1e-9);
    const auto at_cutoff = [&](Truncation truncation) { return pair_at(before, LennardJones(1, 1, 2.5, truncation)); };
    EXPECT_NEAR(at_cutoff(Truncation::plain)[potential], -0.016316891, 1e-8);
    EXPECT_NEAR(at_cutoff(Truncation::energy_shifted)[potential], 0, 1e-9);
    EXPECT_NEAR(at_cutoff(Truncation::energy_shifted)[acceleration].x, 0.038999477, 1e-8);
    EXPECT_NEAR(at_cutoff(Truncation::force_shifted)[potential], 0, 1e-15);
    EXPECT_NEAR(at_cutoff(Truncation::force_shifted)[acceleration].x, 0, 1e-9);
}

TEST(LennardJones, switches_off_between_two_distances) {
    const auto at = [](double r, Truncation truncation) {
        return pair_at(r, LennardJones(1.2, 1.1, 2.5, truncation, 0.8));
    };
    for (const double r : {1.0, 1.5, 2.0}) {  // to the switching distance
        EXPECT_NEAR(at(r, Truncation::switched)[potential], at(r, Truncation::plain)[potential], 1e-13);
        EXPECT_NEAR(at(r, Truncation::switched)[virial], at(r, Truncation::plain)[virial], 1e-12);
    }
    // S(1/2) = 1/2, S(1/4) = 1 - 10/64 + 15/256 - 6/1024
    EXPECT_NEAR(at(2.25, Truncation::switched)[potential], 0.5 * at(2.25, Truncation::plain)[potential], 1e-14);
    EXPECT_NEAR(at(2.125, Truncation::switched)[potential],
                (1 - 10.0 / 64 + 15.0 / 256 - 6.0 / 1024) * at(2.125, Truncation::plain)[potential], 1e-14);
    const Result before = at(2.5 * (1 - 1e-5), Truncation::switched);  // flat to second order
    EXPECT_NEAR(before[potential], 0, 1e-12);
    EXPECT_NEAR(before[acceleration].x, 0, 1e-8);
}

TEST(LennardJones, force_is_the_gradient_of_the_energy) {
    for (const Truncation truncation : all_truncations) {
        const LennardJones force = between_clustered(truncation);
        const std::vector<Atom> atoms = cluster();
        for (std::size_t k = 0; k < atoms.size(); ++k)
            for (std::size_t axis = 0; axis < 3; ++axis) {
                constexpr double step = 1e-5;
                std::vector<Atom> ahead = atoms, behind = atoms;
                ahead[k].position[axis] += step;
                behind[k].position[axis] -= step;
                const double slope = (energy_of(ahead, force) - energy_of(behind, force)) / (2 * step);
                EXPECT_NEAR(atoms[k].mass * taken_by(atoms[k], atoms, force)[acceleration][axis], -slope, 1e-6);
            }
    }
}

TEST(LennardJones, virial_is_how_the_energy_changes_with_scale) {
    for (const Truncation truncation : all_truncations) {
        const LennardJones force = between_clustered(truncation);
        constexpr double step = 1e-6;
        const double slope = (energy_of(cluster(1 + step), force) - energy_of(cluster(1 - step), force)) / (2 * step);
        double half_sum = 0;
        for (const Atom& atom : cluster()) half_sum += 0.5 * taken_by(atom, cluster(), force)[virial];
        EXPECT_GT(std::abs(half_sum), 1);
        EXPECT_NEAR(half_sum, -slope, 1e-6);
    }
}

// LAMMPS's first line for its melt (bench/in.lj): 32,000 atoms, E_pair = -6.7733681 an atom, P = -5.0197073 at T = 1.44
// (3 N - 3 degrees of freedom).
TEST(LennardJones, a_melts_first_step_is_lammpss) {
    const double density = 0.8442, side = std::cbrt(4 / density);
    std::vector<Atom> lattice;
    for (int x = -4; x <= 4; ++x)
        for (int y = -4; y <= 4; ++y)
            for (int z = -4; z <= 4; ++z)
                if ((x + y + z) % 2 == 0) lattice.push_back({0.5 * side * Vec3<double>{1.0 * x, 1.0 * y, 1.0 * z}, 1});
    const Result atom = taken_by({{0, 0, 0}, 1}, lattice, LennardJones(1, 1, 2.5, Truncation::plain));
    EXPECT_NEAR(0.5 * atom[potential], -6.7733681, 5e-8);
    EXPECT_NEAR(density * (1.44 * 31999 / 32000 + atom[virial] / 6), -5.0197073, 5e-8);
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(atom[acceleration][axis], 0, 1e-12);
}

// Argon: sigma^12 is beyond the range of a float.
TEST(LennardJones, atoms_in_metres_and_kilograms_fit_single_precision) {
    const double sigma = 3.4e-10, epsilon = 1.65e-21, weight = 6.63e-26;
    for (const Truncation truncation : all_truncations) {
        const LennardJones force(epsilon, sigma, 2.5 * sigma, truncation);
        const Atom here{{0, 0, 0}, weight};
        const std::vector<Atom> others{{{1.05 * sigma, 0, 0}, weight}, {{0, 0, 2 * sigma}, weight}};
        const Result exact = taken_by(here, others, force), rounded = taken_by<float>(here, others, force);
        EXPECT_NEAR(rounded[acceleration].x, exact[acceleration].x, 1e-5 * std::abs(exact[acceleration].x));
        EXPECT_NEAR(rounded[acceleration].z, exact[acceleration].z, 1e-5 * std::abs(exact[acceleration].z));
        EXPECT_NEAR(rounded[potential], exact[potential], 1e-5 * std::abs(exact[potential]));
        EXPECT_NEAR(rounded[virial], exact[virial], 1e-5 * std::abs(exact[virial]));
    }
}

}  // namespace trellis::lennard_jones_test
