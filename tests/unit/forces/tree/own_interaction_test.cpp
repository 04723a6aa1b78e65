// Interactions and fields defined by a user.
#include <gtest/gtest.h>

#include "trellis/compile.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/tree/compared_force.hpp"
#include "unit/forces/tree/yukawa.hpp"
#include "unit/particle_models.hpp"

namespace trellis::own_interaction_test {

using namespace fields;
using namespace yukawa;

// A plasma with charges of both signs if mixed, else of one.
ParticleSet plasma(std::size_t size, bool mixed) {
    ParticleSet particles = models::uniform_sphere(size, 1);
    models::Random random(5);
    for (double& m : particles[mass]) m = random.uniform(1, 2);
    for (double& q : particles.add(charge)) q = random.uniform(mixed ? -1 : 0.5, 1);
    return particles;
}

// RMS error over RMS force: the forces on a particle among mixed charges may nearly cancel.
double error_of(Force& force, ParticleSet particles) {
    compute(force, particles);
    double wrong = 0, size = 0;
    for (std::uint32_t row = 0; row < particles.size(); row += 7) {
        const Vec3<double> exact = exact_force(force, particles, row).acceleration;
        const Vec3<double> apart = particles[acceleration][row] - exact;
        wrong += dot(apart, apart);
        size += dot(exact, exact);
    }
    return std::sqrt(wrong / size);
}

class OwnInteraction : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(charges, OwnInteraction, testing::Bool(),
                         [](const auto& charges) { return charges.param ? "mixed" : "of_one_sign"; });

TEST_P(OwnInteraction, is_summed_directly_as_theta_vanishes) {
    for (const Precision precision : {Precision::single_, Precision::double_}) {
        const ForceSettings settings{.theta = 1e-9, .group_size = 50, .precision = precision};
        const double rounding = precision == Precision::single_ ? 1e-6 : 1e-13;
        EXPECT_LT(error_of(*tree_force(Yukawa(), settings), plasma(1000, GetParam())), rounding);
    }
}

TEST_P(OwnInteraction, has_monopoles_by_itself) {
    double wider = 1;
    for (const double theta : {0.8, 0.4, 0.1}) {
        const double error = error_of(*tree_force(Yukawa(), {.theta = theta}), plasma(3000, GetParam()));
        EXPECT_LT(error, 0.5 * wider) << theta;
        wider = error;
    }
    EXPECT_LT(wider, GetParam() ? 1e-2 : 1e-4);
}

TEST_P(OwnInteraction, with_derivatives_can_be_as_accurate_as_wanted) {
    for (const double accuracy : {1e-2, 1e-3, 1e-4})
        EXPECT_LT(error_of(*tree_force(ExpandedYukawa(), {.accuracy = accuracy}), plasma(3000, GetParam())),
                  2 * accuracy)
            << accuracy;
}

// Light particles are accelerated by the same field more, heavy ones less: the cells that may act are the same.
TEST(OwnCoupling, is_found) {
    const auto work_and_error = [](double mass_factor) {
        ParticleSet particles = plasma(3000, false);
        for (double& m : particles[mass]) m *= mass_factor;
        const auto force = tree_force(ExpandedYukawa(), {.accuracy = 1e-3});
        compute(*force, particles);
        const Work work = compute(*force, particles);
        return std::pair(work.pairs, error_of(*force, std::move(particles)));
    };
    const auto [pairs, error] = work_and_error(1);
    EXPECT_LT(error, 1e-3);
    for (const double factor : {0x1p-10, 0x1p10}) {
        const auto [pairs_then, error_then] = work_and_error(factor);
        EXPECT_EQ(pairs_then, pairs) << factor;
        EXPECT_LT(error_then, 1e-3) << factor;
    }
}

// A force of 1 / r^3, of which phi is s / 2 r^2.
struct Steep {
    using Target = Fields<Position>;
    using Source = Fields<Position, Mass>;
    using Result = Fields<Acceleration, Potential>;

    void operator()(const auto& i, const auto& j, auto& sum) const {
        const auto d = j[position] - i[position];
        const auto rinv = rsqrt(dot(d, d) + 1e-4f), rinv2 = rinv * rinv;
        sum[potential] -= 0.5f * j[mass] * rinv2;
        sum[acceleration] += j[mass] * rinv2 * rinv2 * d;
    }
    template <int N, class V>
    std::array<V, N> radial(const V& r2, const V& unit2) const {
        const V rinv = rsqrt(V(r2 + 1e-4f)), rinv2 = rinv * rinv;
        std::array<V, N> g;
        g[0] = rinv2 * 0.5f;
        for (int n = 1; n < N; ++n) g[n] = g[n - 1] * rinv2 * unit2 * static_cast<float>(-2 * n);
        return g;
    }
    void far_field(const auto&, const auto& phi, const auto& gradient, auto& sum) const {
        sum[potential] -= phi;
        sum[acceleration] += gradient;
    }
};

TEST(OwnCoupling, of_a_steeper_force_gives_the_accuracy_that_is_asked_for) {
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
        EXPECT_LT(error_of(*tree_force(Steep(), {.accuracy = accuracy}), models::plummer(3000, 1)), accuracy);
        EXPECT_LT(error_of(*tree_force(Steep(), {.accuracy = accuracy}), models::uniform_sphere(3000, 1)), accuracy);
    }
}

TEST_P(OwnInteraction, with_derivatives_gains_from_each_order) {
    const auto error = [](Method method, int order) {
        return error_of(*tree_force(ExpandedYukawa(), {.theta = 0.4, .method = method, .order = order}),
                        plasma(3000, GetParam()));
    };
    EXPECT_LT(error(Method::tree, 2), error(Method::tree, 1) / 2);
    double before = error(Method::fmm, 2);
    for (const int order : {3, 4, 5}) {
        const double now = error(Method::fmm, order);
        EXPECT_LT(now, before / 1.5) << order;
        before = now;
    }
}

TEST(OwnInteractionKernels, are_compiled_for_higher_orders_only_with_derivatives) {
    const ForceKernels without = make_kernels<Yukawa>().single_precision;
    const ForceKernels with = make_kernels<ExpandedYukawa>().single_precision;
    EXPECT_EQ(without.at_order(2).evaluate, without.at_order(1).evaluate);
    EXPECT_EQ(without.at_order(2).expansion_bytes, 0U);
    for (int order = 2; order <= highest_order; ++order) {
        EXPECT_NE(with.at_order(order).evaluate, with.at_order(order - 1).evaluate);
        EXPECT_EQ(with.at_order(order).expansion_bytes, sizeof(float) * static_cast<std::size_t>(terms(order)));
    }
}

TEST(OwnInteractionErrors, name_what_is_missing) {
    EXPECT_EQ(message_of([] { tree_force(Yukawa(), {.method = Method::fmm}); }),
              "method is fmm, but this interaction has no radial derivatives: allowed is tree");
    ParticleSet uncharged = models::uniform_sphere(10, 1);
    EXPECT_EQ(message_of([&] { compute(*tree_force(Yukawa()), uncharged); }),
              "the particles have no field 'charge': they have position, velocity, mass, id, acceleration, potential");
}

// Fields that count the partners of each particle, vectors among them.
struct Spin : Field<Vec3<double>, "spin", "", "read from the i-particle alone"> {};
struct MassSum : Field<double, "mass_sum", "mass", "mass of all partners"> {};
struct Flow : Field<Vec3<double>, "flow", "", "sum over partners of velocity, and of spin times mass"> {};
inline constexpr Spin spin;
inline constexpr MassSum mass_sum;
inline constexpr Flow flow;

struct Tally {
    using Target = Fields<Position, Spin>;
    using Source = Fields<Position, Velocity, Mass>;
    using Result = Fields<MassSum, Flow>;
    using Strength = Mass;

    void operator()(const auto& i, const auto& j, auto& sum) const {
        sum[mass_sum] += j[mass];
        sum[flow] += j[velocity] + i[spin] * j[mass];
    }
    void finish(auto& sum) const { sum[mass_sum] *= 2.0; }
};

TEST(OwnFields, each_particle_interacts_with_every_other_once) {
    constexpr std::size_t size = 700;
    const auto particles = std::make_shared<ParticleSet>(models::plummer(size, 1));
    particles->add(spin);
    Vec3<double> all{0, 0, 0};
    for (std::size_t row = 0; row < size; ++row) {
        const auto number = static_cast<double>(row % 11);
        (*particles)[mass][row] = 1;
        (*particles)[velocity][row] = {number, 1, -number};
        (*particles)[spin][row] = {0, number, 2};
        all += (*particles)[velocity][row];
    }
    for (const auto& [group, leaf] : {std::pair{1U, 1U}, {7U, 3U}, {64U, 8U}, {1000U, 700U}})
        for (const double theta : {1e-9, 0.5, 1.0}) {
            SCOPED_TRACE(testing::Message() << "groups of " << group << " theta " << theta);
            Simulation sim(particles, 1);
            sim.add_force(tree_force(Tally(), {.theta = theta, .group_size = group, .leaf_size = leaf}));
            sim.compute_forces();
            for (std::size_t row = 0; row < size; ++row) {
                ASSERT_EQ((*particles)[mass_sum][row], 2.0 * (size - 1));
                const Vec3<double> expected =
                    all - (*particles)[velocity][row] + (*particles)[spin][row] * static_cast<double>(size - 1);
                ASSERT_EQ((*particles)[flow][row], expected);
            }
        }
}

}  // namespace trellis::own_interaction_test
