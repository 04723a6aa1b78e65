// Smoothed particle hydrodynamics as a whole, over trees and lists, against all pairs in double precision.
#include "trellis/forces/sph/sph_force.hpp"

#include <gtest/gtest.h>

#include "trellis/forces/allowed_steps.hpp"
#include "trellis/forces/sph/kernels/velocity_gradient.hpp"
#include "trellis/ranks/comm/thread_ranks.hpp"
#include "trellis/run/simulation.hpp"
#include "unit/error_message.hpp"
#include "unit/forces/sph/gas.hpp"

namespace trellis::sph_force_test {

using namespace fields;

constexpr std::size_t size = 400;
constexpr double neighbours = 30;

// A clump in a thin gas in a periodic box.
template <int Dim>
std::shared_ptr<ParticleSet> clump() {
    models::Random random(9);
    auto gas = std::make_shared<ParticleSet>(size);
    gas->add(internal_energy);
    gas->set_region(unit_box<Dim>);
    for (std::size_t row = 0; row < size; ++row) {
        const double spread = row % 2 == 0 ? 1 : 0.3;
        const Vec3<double> from_middle = spread * (random.in_cube() - Vec3<double>{0.5, 0.5, 0.5});
        (*gas)[position][row] = flattened<Dim>(Vec3<double>{0.5, 0.5, 0.5} + from_middle);
        (*gas)[velocity][row] = flattened<Dim>(random.uniform(0, 1) * random.direction());
        (*gas)[mass][row] = 1.0 / size;
        (*gas)[internal_energy][row] = random.uniform(0.5, 1.5);
    }
    return gas;
}

// The largest difference over the largest value.
template <class F>
double apart(const ParticleSet& gas, const auto& exact, F field) {
    double difference = 0, largest = 0;
    for (std::size_t row = 0; row < gas.size(); ++row) {
        const auto one = [&](double value, double right) {
            difference = std::max(difference, std::abs(value - right));
            largest = std::max(largest, std::abs(right));
        };
        if constexpr (F::components == 1) {
            one(gas[field][row], exact[row][field]);
        } else {
            for (std::size_t axis = 0; axis < 3; ++axis) one(gas[field][row][axis], exact[row][field][axis]);
        }
    }
    return difference / largest;
}

template <class Kernel, Smoothing Name>
struct Choice {
    using Type = Kernel;
    static constexpr Smoothing name = Name;
};

template <class Choice>
class SphForceOf : public testing::Test {
  protected:
    using Kernel = typename Choice::Type;
    static constexpr int dim = Kernel::dimensions;
    static SphSettings settings() {
        SphSettings all;
        all.kernel = Choice::name;
        all.dimensions = dim;
        all.neighbours = neighbours;
        return all;
    }
    static std::shared_ptr<ParticleSet> computed(const SphSettings& settings) {
        auto gas = clump<dim>();
        Simulation simulation(gas, 1e-3);
        simulation.add_force(std::make_shared<SphForce>(settings));
        simulation.compute_forces();
        return gas;
    }
};
using Choices =
    testing::Types<Choice<CubicSpline<1>, Smoothing::cubic_spline>, Choice<WendlandC2<1>, Smoothing::wendland_c2>,
                   Choice<WendlandC2<2>, Smoothing::wendland_c2>, Choice<WendlandC4<2>, Smoothing::wendland_c4>,
                   Choice<CubicSpline<3>, Smoothing::cubic_spline>, Choice<WendlandC2<3>, Smoothing::wendland_c2>,
                   Choice<WendlandC4<3>, Smoothing::wendland_c4>>;
TYPED_TEST_SUITE(SphForceOf, Choices);

TYPED_TEST(SphForceOf, a_clump_is_that_of_all_pairs) {
    using Kernel = typename TestFixture::Kernel;
    const auto gas = this->computed(this->settings());
    const auto exact = all_pairs(DensitySum<Kernel>(), *gas);
    for (std::size_t row = 0; row < size; ++row) {
        const double h = (*gas)[smoothing_length][row], rho = exact[row][density];
        EXPECT_NEAR(filling(TestFixture::dim, h, rho, (*gas)[mass][row], neighbours), 1, 1e-5);
        EXPECT_NEAR((*gas)[density][row], rho, 1e-5 * rho);
    }
    const std::vector<double> counted((*gas)[neighbour_number].begin(), (*gas)[neighbour_number].end());
    complete<Kernel>(*gas, IdealGas());
    const auto flow = all_pairs(VelocityGradient<Kernel>(), *gas);
    EXPECT_LT(apart(*gas, flow, velocity_divergence), 1e-5);
    for (std::size_t row = 0; row < size; ++row) EXPECT_EQ(counted[row], flow[row][neighbour_number]);
    const auto hydro = all_pairs(Hydro<Kernel>(), *gas);
    EXPECT_LT(apart(*gas, hydro, acceleration), 1e-5);
    EXPECT_LT(apart(*gas, hydro, internal_energy_rate), 1e-5);
    EXPECT_LT(apart(*gas, hydro, signal_speed), 1e-6);
}

TYPED_TEST(SphForceOf, a_clump_in_double_precision_has_the_lengths_of_bisection) {
    SphSettings settings = this->settings();
    settings.search.precision = Precision::double_;
    const auto gas = this->computed(settings);
    const std::vector<double> found((*gas)[smoothing_length].begin(), (*gas)[smoothing_length].end());
    solve_lengths<typename TestFixture::Kernel>(*gas, neighbours);
    for (std::size_t row = 0; row < size; row += 7)
        EXPECT_NEAR(found[row], (*gas)[smoothing_length][row], 1e-6 * found[row]);
}

class SphForceIn3d : public testing::Test {
  protected:
    SphForceIn3d() { settings.neighbours = neighbours; }
    void run(int steps) {
        Simulation simulation(gas, 1e-3);
        simulation.add_force(force = std::make_shared<SphForce>(settings));
        for (int step = 0; step < steps; ++step) simulation.step();
    }
    SphSettings settings;
    std::shared_ptr<ParticleSet> gas = clump<3>();
    std::shared_ptr<SphForce> force;
};

TEST_F(SphForceIn3d, reuses_lists_while_they_hold_and_is_right_all_the_same) {
    settings.viscosity = ConstantViscosity{.alpha = 0};  // viscosity would act at a velocity of the middle of the step
    settings.conductivity = 0;
    run(12);
    EXPECT_GT(force->list_use().reuses, 5u);
    const auto hydro = all_pairs(Hydro<WendlandC2<3>>(), *gas);
    const auto densities = all_pairs(DensitySum<WendlandC2<3>>(), *gas);
    for (std::size_t row = 0; row < size; ++row) {
        EXPECT_NEAR((*gas)[density][row], densities[row][density], 1e-5 * densities[row][density]);
        const Vec3<double> a = hydro[row][acceleration], wrong = (*gas)[acceleration][row] - a;
        EXPECT_LT(std::sqrt(dot(wrong, wrong)), 1e-4 * (std::sqrt(dot(a, a)) + 1));
    }
}

TEST_F(SphForceIn3d, evaluates_no_more_pairs_with_lists_that_reach_farther) {
    const auto pairs_with = [&](double skin_ratio) {
        gas = clump<3>();
        settings.search.skin_ratio = skin_ratio;
        Simulation simulation(gas, 2e-4);
        simulation.add_force(force = std::make_shared<SphForce>(settings));
        for (int step = 0; step < 4; ++step) simulation.step();
        EXPECT_GT(force->list_use().reuses, 0U);
        return static_cast<double>(simulation.work().pairs);
    };
    const double few = pairs_with(0.05);
    EXPECT_LT(pairs_with(0.5), 1.01 * few);
}

TEST_F(SphForceIn3d, sums_densities_once_in_a_step_whose_lengths_were_predicted) {
    settings.search.lists = Lists::rebuild;
    Simulation simulation(gas, 2e-4);
    simulation.add_force(std::make_shared<SphForce>(settings));
    for (int k = 0; k < 2; ++k) simulation.compute_forces();
    const std::vector<double> found((*gas)[smoothing_length].begin(), (*gas)[smoothing_length].end());
    const auto from_found = static_cast<double>(simulation.work().pairs);  // densities, flow and forces, once each
    for (int k = 0; k < 3; ++k) simulation.step();
    EXPECT_LT(static_cast<double>(simulation.work().pairs), 1.1 * from_found);
    for (std::size_t row = 0; row < size; ++row) EXPECT_NE((*gas)[smoothing_length][row], found[row]);
}

TEST_F(SphForceIn3d, acts_at_velocities_and_energies_of_the_time_of_the_positions) {
    constexpr double behind = 5e-4;
    SphForce sph(settings);
    Phases phases;
    sph.attach(*gas, 0);
    sph.dispatch(*gas, {}, phases);
    sph.retrieve(*gas, phases);
    std::vector<Vec3<double>> velocities;
    std::vector<double> energies;
    for (std::size_t row = 0; row < size; ++row) {
        velocities.push_back((*gas)[velocity][row] + behind * (*gas)[acceleration][row]);
        energies.push_back((*gas)[internal_energy][row] + behind * (*gas)[internal_energy_rate][row]);
    }
    ForceStep step;
    step.since_kick = behind;
    sph.dispatch(*gas, step, phases);
    for (std::size_t row = 0; row < size; ++row) {
        (*gas)[acceleration][row] = {0, 0, 0};
        (*gas)[internal_energy_rate][row] = 0;
    }
    sph.retrieve(*gas, phases);
    std::ranges::copy(velocities, (*gas)[velocity].begin());
    std::ranges::copy(energies, (*gas)[internal_energy].begin());
    for (std::size_t row = 0; row < size; ++row)
        EXPECT_DOUBLE_EQ((*gas)[pressure][row], IdealGas().pressure((*gas)[density][row], energies[row]));
    const auto flow = all_pairs(VelocityGradient<WendlandC2<3>>(), *gas);
    const auto hydro = all_pairs(Hydro<WendlandC2<3>>(), *gas);
    EXPECT_LT(apart(*gas, flow, velocity_divergence), 1e-5);
    EXPECT_LT(apart(*gas, hydro, acceleration), 1e-5);
    EXPECT_LT(apart(*gas, hydro, internal_energy_rate), 1e-5);
}

TEST_F(SphForceIn3d, conserves_momentum_to_rounding_in_double_precision) {
    settings.search.precision = Precision::double_;
    run(1);
    Vec3<double> force_of_all{0, 0, 0};
    double forces = 0;
    for (const auto& a : (*gas)[acceleration]) {
        force_of_all += a;
        forces += std::sqrt(dot(a, a));
    }
    EXPECT_LT(std::sqrt(dot(force_of_all, force_of_all)), 1e-13 * forces);
}

TEST_F(SphForceIn3d, switches_its_viscosity_on_where_gas_is_compressed_faster_and_faster) {
    run(3);
    const auto alpha = (*gas)[viscosity];
    EXPECT_GT(std::ranges::max(alpha), 0.1);
    EXPECT_EQ(std::ranges::min(alpha), 0);
}

TEST_F(SphForceIn3d, is_the_same_on_several_ranks) {
    SphSettings exact = settings;
    exact.search.precision = Precision::double_;
    const auto accelerations = [&](int ranks) {
        std::vector<Vec3<double>> by_id(size);
        run_ranks(ranks, [&](Comm& comm) {
            auto own = comm.rank() == 0 ? clump<3>() : std::make_shared<ParticleSet>(0);
            if (comm.rank() != 0) {
                own->add(internal_energy);
                own->set_region(unit_box<3>);
            }
            Simulation simulation(own, 1e-3, std::shared_ptr<Comm>(&comm, [](Comm*) {}));
            simulation.add_force(std::make_shared<SphForce>(exact));
            for (int step = 0; step < 3; ++step) simulation.step();
            for (std::size_t row = 0; row < own->size(); ++row) by_id[(*own)[id][row]] = (*own)[acceleration][row];
        });
        return by_id;
    };
    const auto alone = accelerations(1), shared = accelerations(3);
    for (std::size_t k = 0; k < size; ++k) {
        const Vec3<double> wrong = shared[k] - alone[k];
        EXPECT_LT(std::sqrt(dot(wrong, wrong)), 1e-4 * (std::sqrt(dot(alone[k], alone[k])) + 1));
    }
}

TEST_F(SphForceIn3d, refuses_a_step_that_is_longer_than_that_of_any_particle) {
    Simulation begun(gas, 1e-3);
    begun.add_force(std::make_shared<SphForce>(settings));
    begun.compute_forces();
    double crossing = std::numeric_limits<double>::infinity();
    for (std::size_t row = 0; row < size; ++row)
        crossing = std::min(crossing, (*gas)[smoothing_length][row] / (*gas)[signal_speed][row]);
    gas = clump<3>();
    settings.courant = 0.999e-3 / crossing;
    EXPECT_THROW(run(1), RunError);
    gas = clump<3>();
    settings.courant = 1.001e-3 / crossing;
    EXPECT_NO_THROW(run(1));
}

TEST_F(SphForceIn3d, allows_the_least_of_what_signals_and_accelerations_allow_its_particles) {
    Simulation simulation(gas, 1e-3);
    const auto sph = std::make_shared<SphForce>(settings);
    simulation.add_force(sph);
    simulation.compute_forces();
    const auto h = (*gas)[smoothing_length], signal = (*gas)[signal_speed];
    EXPECT_LT(allowed_step({{sph}}, *gas, 0), settings.courant * h[5] / signal[5]);
    signal[5] *= 1e3;
    EXPECT_EQ(allowed_step({{sph}}, *gas, 0), settings.courant * h[5] / signal[5]);
    (*gas)[acceleration][7] = {0, -1e12, 0};  // acceleration by any force
    EXPECT_DOUBLE_EQ(allowed_step({{sph}}, *gas, 0), settings.courant * std::sqrt(h[7] / 1e12));
}

TEST_F(SphForceIn3d, says_what_it_cannot_compute) {
    const auto message = [&] {
        return message_of([&] {
            SphForce sph(settings);
            Phases phases;
            sph.attach(*gas, 0);
            sph.dispatch(*gas, {}, phases);
        });
    };
    (*gas)[internal_energy][3] = -1;
    EXPECT_EQ(message(), "internal_energy of row 3 is -1: allowed is 0 or more");
    (*gas)[internal_energy][3] = 1;
    (*gas)[mass][5] = 0;
    EXPECT_EQ(message(), "mass of row 5 is 0: allowed is above 0");
    (*gas)[mass][5] = 1;
    settings.dimensions = 2;
    EXPECT_EQ(message(), "space is periodic along z: allowed is that in the dimensions of the gas, which are 2");
    gas->set_region({});
    EXPECT_EQ(message(), "row 1 is not where row 0 is along z: allowed is one place for all in a gas of 2 dimensions");
    settings.dimensions = 3;
    for (Vec3<double>& at : (*gas)[position]) at.z = 0.5;
    EXPECT_EQ(
        message_of([&] { run(1); }),
        "all particles are at one place along z, which is not allowed in a gas of 3 dimensions (in x and y alone: "
        "dimensions = 2)");
}

TEST_F(SphForceIn3d, says_which_settings_it_does_not_allow) {
    const auto message = [](auto change) {
        SphSettings changed;
        change(changed);
        return message_of([&] { SphForce force(changed); });
    };
    EXPECT_EQ(message([](SphSettings& s) { s.dimensions = 4; }), "dimensions is 4: allowed is 1, 2 or 3");
    EXPECT_EQ(message([](SphSettings& s) { s.gas = IdealGas{1}; }), "gamma is 1: allowed is above 1");
    EXPECT_EQ(message([](SphSettings& s) { s.conductivity = -1; }), "conductivity is -1: allowed is 0 or more");
    EXPECT_EQ(message([](SphSettings& s) { s.courant = 0; }), "courant is 0: allowed is above 0");
    EXPECT_EQ(message([](SphSettings& s) { s.viscosity = ConstantViscosity{.alpha = -1}; }),
              "the strength of the viscosity is -1: allowed is 0 or more");
    EXPECT_EQ(message([](SphSettings& s) { s.neighbours = 10; }),
              "neighbours is 10: allowed is above 14, which a particle alone counts for with this kernel");
}

TEST(SphForce, gives_up_where_there_are_too_few_particles) {
    auto gas = std::make_shared<ParticleSet>(2);
    (*gas)[position][1] = {1, 0, 0};
    for (double& m : (*gas)[mass]) m = 1;
    for (double& u : gas->add(internal_energy)) u = 1;
    Simulation simulation(gas, 1e-3);
    simulation.add_force(std::make_shared<SphForce>(SphSettings()));
    EXPECT_THROW(simulation.compute_forces(), RunError);
}

}  // namespace trellis::sph_force_test
