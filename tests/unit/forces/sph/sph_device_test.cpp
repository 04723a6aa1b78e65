// A gas on a device, against the same gas on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "unit/forces/sph/gas.hpp"
#include "unit/run/simulation_on_ranks.hpp"

namespace trellis::sph_device_test {

using namespace fields;

// A clump in a thin gas in a periodic box; cold, so that steps may be long.
template <int Dim>
std::shared_ptr<ParticleSet> clump() {
    auto gas = std::make_shared<ParticleSet>(random_gas<Dim>(400, 9));
    gas->set_region(unit_box<Dim>);
    for (std::size_t row = 0; row < gas->size(); row += 2) {
        Vec3<double>& at = (*gas)[position][row];
        const Vec3<double> middle = flattened<Dim>({0.5, 0.5, 0.5});
        at = middle + 0.3 * (at - middle);
    }
    for (Vec3<double>& v : (*gas)[velocity]) v *= 1e-5;
    for (double& u : (*gas)[internal_energy]) u *= 1e-10;
    std::ranges::fill((*gas)[smoothing_length], 0.0);
    return gas;
}

template <int Dim>
SphSettings settings_of(Smoothing kernel, Precision precision, bool on_device) {
    SphSettings settings;
    settings.kernel = kernel;
    settings.dimensions = Dim;
    settings.neighbours = Dim == 1 ? 6 : 30;
    settings.search.precision = precision;
    if (on_device) settings.search.device = open_device("cpu");
    return settings;
}

// The gas after some steps.
template <int Dim>
std::shared_ptr<ParticleSet> moved(int ranks, const SphSettings& settings, std::uint64_t steps) {
    const auto forces = [&] { return std::vector<std::shared_ptr<Force>>{std::make_shared<SphForce>(settings)}; };
    return run_on_ranks(ranks, *clump<Dim>(), forces, steps);
}

// The largest difference of a field over its largest value in b.
double apart(const ParticleSet& a, const ParticleSet& b, const char* field) {
    const double *of_a = a.column(field).values(), *of_b = b.column(field).values();
    double difference = 0, largest = 0;
    for (std::size_t k = 0; k < a.size() * a.column(field).info().components; ++k) {
        difference = std::max(difference, std::abs(of_a[k] - of_b[k]));
        largest = std::max(largest, std::abs(of_b[k]));
    }
    return difference / largest;
}

void expect_equal(const ParticleSet& device, const ParticleSet& host, double tolerance) {
    for (const char* field : {SmoothingLength::name, Density::name, NeighbourNumber::name, VelocityDivergence::name,
                              Viscosity::name, SignalSpeed::name, InternalEnergyRate::name, Acceleration::name})
        EXPECT_LT(apart(device, host, field), tolerance) << field;
}

template <int Dim>
void compare(Smoothing kernel) {
    const auto expect_same = [&](Precision precision, std::uint64_t steps, double tolerance) {
        expect_equal(*moved<Dim>(1, settings_of<Dim>(kernel, precision, true), steps),
                     *moved<Dim>(1, settings_of<Dim>(kernel, Precision::double_, false), steps), tolerance);
    };
    expect_same(Precision::double_, 2, 1e-9);  // the viscosity switch divides a small difference by a small time
    expect_same(Precision::single_, 0, 1e-5);
}

TEST(SphDevice, moves_a_gas_as_the_host_does_in_any_dimension_by_any_kernel) {
    compare<1>(Smoothing::cubic_spline);
    compare<2>(Smoothing::wendland_c4);
    compare<3>(Smoothing::wendland_c2);
}

TEST(SphDevice, moves_a_gas_on_ranks_as_one_host_does) {
    const auto device = moved<3>(3, settings_of<3>(Smoothing::wendland_c2, Precision::double_, true), 2);
    const auto host = moved<3>(1, settings_of<3>(Smoothing::wendland_c2, Precision::double_, false), 2);
    for (const char* field : {Density::name, Acceleration::name, InternalEnergyRate::name})
        EXPECT_LT(apart(*device, *host, field), 1e-4) << field;  // smoothing lengths are found to about 1e-5
}

// The lists serve density, flow and forces; each sweep of the density sums only groups whose lengths are still sought.
TEST(SphDevice, sums_again_only_for_groups_whose_lengths_are_sought) {
    Simulation sim(clump<3>(), 1e-3);
    SphSettings settings = settings_of<3>(Smoothing::wendland_c2, Precision::double_, true);
    settings.search.group_size = 16;
    sim.add_force(std::make_shared<SphForce>(settings));
    sim.compute_forces();
    const auto seeking = static_cast<double>(sim.work().pairs);
    sim.compute_forces();                                             // from the lengths that were found
    EXPECT_LT(seeking, 3.5 * static_cast<double>(sim.work().pairs));  // 3.3; 3.8 if all groups were summed again
}

}  // namespace trellis::sph_device_test
