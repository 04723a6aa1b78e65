#include "trellis/forces/sph/kernels/softening.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/sph/gas.hpp"

namespace trellis::softening_test {

using namespace fields;

constexpr double epsilon = 0.05, G = 2, neighbours = 50;

// A kernel, and what softens the points beyond its reach.
template <class K, class P>
struct Softened {
    using Kernel = K;
    using Points = P;
    static P points(double length) {
        if constexpr (std::is_same_v<P, OneSoftening>)
            return {{length * length}};
        else
            return {};
    }
    using PotentialSlopeSum = trellis::PotentialSlopeSum<K, P>;
    using Softening = trellis::Softening<K, P>;
};

template <class S>
class SofteningOf : public testing::Test {
  protected:
    using Kernel = typename S::Kernel;
    static constexpr std::size_t size = 80;

    // Softenings that differ are random, from epsilon to three times epsilon.
    static ParticleSet gas() {
        ParticleSet particles = random_gas<3>(size, 5);
        particles.add(potential_slope);
        particles.add(softening_weight);
        particles.add(fields::softening);
        models::Random random(9);
        for (double& e : particles[fields::softening]) e = epsilon * random.uniform(1, 3);
        return particles;
    }
    static ParticleSet two_of(double h, double m, double length) {
        ParticleSet two(2);
        add_gas_columns(two);
        two.add(softening_weight);
        two.add(fields::softening);
        for (std::size_t row = 0; row < 2; ++row) {
            two[mass][row] = m;
            two[smoothing_length][row] = h;
            two[inverse_length][row] = 1 / h;
        }
        // Their mean square is that of the length.
        two[fields::softening][0] = std::sqrt(1.5) * length;
        two[fields::softening][1] = std::sqrt(0.5) * length;
        return two;
    }
    static void settle(ParticleSet& particles) {
        solve_lengths<Kernel>(particles, neighbours);
        complete<Kernel>(particles, IdealGas());
        const auto slopes = all_pairs(typename S::PotentialSlopeSum{S::points(epsilon)}, particles);
        for (std::size_t row = 0; row < size; ++row) {
            particles[potential_slope][row] = slopes[row][potential_slope];
            particles[softening_weight][row] =
                softening_weight_of(particles[smoothing_length][row], particles[density][row],
                                    slopes[row][potential_slope], particles[force_weight][row]);
        }
    }
    static auto softening(const ParticleSet& particles) {
        return all_pairs(typename S::Softening{S::points(epsilon), G}, particles);
    }
    static double energy(const ParticleSet& particles) {
        const auto outcome = softening(particles);
        double sum = 0;
        for (std::size_t row = 0; row < size; ++row) sum += particles[mass][row] * outcome[row][potential] / 2;
        return sum;
    }
};
using SpatialKernels =
    testing::Types<Softened<CubicSpline<3>, OneSoftening>, Softened<WendlandC2<3>, OneSoftening>,
                   Softened<WendlandC4<3>, OneSoftening>, Softened<CubicSpline<3>, SofteningOfEachPoint>,
                   Softened<WendlandC2<3>, SofteningOfEachPoint>, Softened<WendlandC4<3>, SofteningOfEachPoint>>;
TYPED_TEST_SUITE(SofteningOf, SpatialKernels);

TYPED_TEST(SofteningOf, a_gas_is_the_gradient_of_its_energy_as_lengths_follow_the_density) {
    constexpr double step = 1e-5;
    ParticleSet gas = this->gas();
    this->settle(gas);
    const auto outcome = this->softening(gas);
    for (const std::size_t row : {0, 40})
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto energy_at = [&](double offset) {
                ParticleSet moved = this->gas();
                moved[position][row][axis] += offset;
                solve_lengths<typename TypeParam::Kernel>(moved, neighbours);
                for (std::size_t k = 0; k < moved.size(); ++k)
                    moved[inverse_length][k] = 1 / moved[smoothing_length][k];
                return this->energy(moved);
            };
            const double force = -(energy_at(step) - energy_at(-step)) / (2 * step);
            const Vec3<double> a = outcome[row][acceleration];
            EXPECT_NEAR(gas[mass][row] * a[axis], force, 1e-6 * gas[mass][row] * std::sqrt(dot(a, a)))
                << "row " << row << ", axis " << axis;
        }
}

TYPED_TEST(SofteningOf, two_particles_makes_them_attract_as_what_is_spread_over_the_kernel) {
    const double h = 0.5, thin = 1e-4;
    ParticleSet two = this->two_of(h, 3, thin);
    using Spread = KernelGravity<typename TypeParam::Kernel>;
    const auto softening = [&] { return all_pairs(typename TypeParam::Softening{TypeParam::points(thin), G}, two)[0]; };
    for (const double r : {0.1, 0.3, 0.499}) {
        two[position][1] = {r, 0, 0};
        const auto outcome = softening();
        const double of_points = 1 / (r * r + thin * thin);
        const double q = r / h, spread = Spread::pull(q, 1 / q) * r / (h * h * h);
        EXPECT_NEAR(outcome[acceleration].x + G * 3 * of_points, G * 3 * spread, 1e-5 * of_points);
        EXPECT_NEAR(outcome[potential] - G * 3 / r, -G * 3 / h * Spread::depth(q, 1 / q), 1e-4);
    }
    two[position][1] = {0.501, 0, 0};
    EXPECT_EQ(softening()[acceleration].x, 0);
}

TYPED_TEST(SofteningOf, a_gas_ends_without_a_jump_at_the_reach) {
    ParticleSet two = this->two_of(0.2, 1, epsilon);  // reaches a few softening lengths
    two[position][1] = {0.2 * (1 - 1e-6), 0, 0};
    const auto outcome = this->softening(two)[0];
    EXPECT_NEAR(outcome[acceleration].x, 0, 1e-3);
    EXPECT_NEAR(outcome[potential], 0, 1e-8);
}

TYPED_TEST(SofteningOf, a_gas_conserves_momenta) {
    ParticleSet gas = this->gas();
    this->settle(gas);
    const auto outcome = this->softening(gas);
    Vec3<double> force{0, 0, 0}, torque{0, 0, 0};
    double forces = 0;
    for (std::size_t row = 0; row < gas.size(); ++row) {
        const Vec3<double> f = gas[mass][row] * Vec3<double>(outcome[row][acceleration]);
        force += f;
        torque += cross(gas[position][row], f);
        forces += std::sqrt(dot(f, f));
    }
    EXPECT_LT(std::sqrt(dot(force, force)), 1e-13 * forces);
    EXPECT_LT(std::sqrt(dot(torque, torque)), 1e-13 * forces);
}

// Evrard's sphere, rho ~ 1 / r, cold: it collapses. Gravity is summed over all pairs. differ: each particle has a
// softening of its own, up to three times that of the others.
struct Collapse {
    explicit Collapse(Precision precision, bool differ = false) : gas(std::make_shared<ParticleSet>(size)) {
        models::Random random(3);
        gas->add(internal_energy);
        for (std::size_t row = 0; row < size; ++row) {
            (*gas)[position][row] = std::sqrt(random.uniform(0, 1)) * random.direction();
            (*gas)[mass][row] = 1.0 / size;
            (*gas)[internal_energy][row] = 0.05;
        }
        if (differ)
            for (double& e : gas->add(fields::softening)) e = softening * random.uniform(1, 3);
        settings.adaptive_softening = SelfGravity{differ ? std::nullopt : std::optional(softening), 1};
        settings.neighbours = neighbours;
        settings.search.precision = precision;
    }
    void begin(double timestep) {
        sim.emplace(gas, timestep);
        const ForceSettings exact{.theta = 1e-3, .method = Method::tree, .precision = Precision::double_};
        sim->add_force(gas->has("softening") ? gravity(SofteningOfEach{}, 1, exact) : gravity(softening, 1, exact));
        sim->add_force(std::make_shared<SphForce>(settings));
        sim->compute_forces();
    }
    double kinetic() const {
        double sum = 0;
        for (std::size_t row = 0; row < size; ++row)
            sum += (*gas)[mass][row] * dot((*gas)[velocity][row], (*gas)[velocity][row]) / 2;
        return sum;
    }
    double total() const {
        double sum = kinetic();
        for (std::size_t row = 0; row < size; ++row)
            sum += (*gas)[mass][row] * ((*gas)[potential][row] / 2 + (*gas)[internal_energy][row]);
        return sum;
    }

    static constexpr std::size_t size = 600;
    static constexpr double softening = 0.02;
    std::shared_ptr<ParticleSet> gas;
    SphSettings settings;
    std::optional<Simulation> sim;
};

template <class Points>
void adds_to_gravity_what_all_pairs_do(const Points& points) {
    constexpr bool differ = std::is_same_v<Points, SofteningOfEachPoint>;
    for (const Precision precision : {Precision::single_, Precision::double_}) {
        Collapse with(precision, differ), without(precision, differ);
        without.settings.adaptive_softening.reset();
        with.begin(1e-3);
        without.begin(1e-3);
        const auto exact = all_pairs(Softening<WendlandC2<3>, Points>{points, 1}, *with.gas);
        const double tolerance = precision == Precision::single_ ? 1e-4 : 1e-11;
        double largest = 0, wrong = 0, deepest = 0, off = 0;
        for (std::size_t row = 0; row < Collapse::size; ++row) {
            const Vec3<double> a = exact[row][acceleration];
            const Vec3<double> apart = (*with.gas)[acceleration][row] - (*without.gas)[acceleration][row] - a;
            largest = std::max(largest, dot(a, a));
            wrong = std::max(wrong, dot(apart, apart));
            deepest = std::max(deepest, std::abs(exact[row][potential]));
            off = std::max(
                off, std::abs((*with.gas)[potential][row] - (*without.gas)[potential][row] - exact[row][potential]));
        }
        EXPECT_LT(std::sqrt(wrong), tolerance * std::sqrt(largest));
        EXPECT_LT(off, tolerance * deepest);
        EXPECT_GT(deepest, 0.01);
    }
}

TEST(AdaptiveSoftening, adds_to_gravity_what_all_pairs_do) {
    adds_to_gravity_what_all_pairs_do(OneSoftening{{Collapse::softening * Collapse::softening}});
    adds_to_gravity_what_all_pairs_do(SofteningOfEachPoint());
}

class AdaptiveSoftenings : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(With, AdaptiveSoftenings, testing::Bool(),
                         [](const auto& of) { return of.param ? "softenings_that_differ" : "one_softening"; });

TEST_P(AdaptiveSoftenings, conserve_energy_and_momentum_as_a_sphere_collapses) {
    Collapse collapse(Precision::automatic, GetParam());
    collapse.begin(2e-3);
    const double before = collapse.total();
    for (int step = 0; step < 400; ++step) collapse.sim->step();
    EXPECT_GT(collapse.kinetic(), 0.1);
    EXPECT_NEAR(collapse.total(), before, 1e-3 * std::abs(before));
    Vec3<double> momentum{0, 0, 0};
    for (std::size_t row = 0; row < Collapse::size; ++row)
        momentum += (*collapse.gas)[mass][row] * (*collapse.gas)[velocity][row];
    EXPECT_LT(std::sqrt(dot(momentum, momentum)), 1e-5);
}

TEST(AdaptiveSoftening, is_for_three_dimensions_and_a_softening_above_0) {
    SphSettings flat;
    flat.dimensions = 2;
    flat.adaptive_softening = SelfGravity{0.1, 1};
    EXPECT_EQ(message_of([&] { check(flat); }), "adaptive softening is for three dimensions: dimensions is 2");
    SphSettings hard;
    hard.adaptive_softening = SelfGravity{0, 1};
    EXPECT_EQ(message_of([&] { check(hard); }), "softening is 0: allowed is above 0 with adaptive softening");
}

TEST(AdaptiveSoftening, of_each_needs_a_softening_of_each) {
    const auto message = [](const Collapse& collapse) {
        SphForce force(collapse.settings);
        force.attach(*collapse.gas, 0);
        Phases phases;
        return message_of([&] { force.dispatch(*collapse.gas, {}, phases); });
    };
    Collapse hard(Precision::automatic, true), without(Precision::automatic);
    (*hard.gas)[fields::softening][7] = 0;
    EXPECT_EQ(message(hard), "softening of row 7 is 0: allowed is above 0 with adaptive softening");
    without.settings.adaptive_softening = SelfGravity{};
    EXPECT_EQ(message(without),
              "adaptive softening is for gravity with the softening of each particle, but the particles have no field "
              "'softening'");
}

}  // namespace trellis::softening_test
