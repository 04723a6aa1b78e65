#include "short_range_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/run/simulation.hpp"

using namespace trellis;
using namespace trellis::fields;

namespace {

using MakeForce = std::function<std::shared_ptr<Force>(const ShortRangeSettings&)>;

// A disturbed lattice of spacing 1.1 in a periodic box; with a field of internal energies it is a gas.
std::shared_ptr<ParticleSet> box(std::size_t cells, double from_origin) {
    constexpr double spacing = 1.1;
    auto particles = std::make_shared<ParticleSet>(cells * cells * cells);
    const double end = from_origin + spacing * static_cast<double>(cells);
    particles->set_region({{from_origin, from_origin, from_origin}, {end, end, end}});
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> shake(0.4, 0.6);
    const auto u = particles->add(internal_energy);
    for (std::size_t row = 0; row < particles->size(); ++row) {
        const std::array cell{row % cells, row / cells % cells, row / cells / cells};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            (*particles)[position][row][axis] =
                from_origin + spacing * (static_cast<double>(cell[axis]) + shake(random));
            (*particles)[velocity][row][axis] = shake(random) - 0.5;
        }
        (*particles)[mass][row] = 2 * shake(random);
        u[row] = shake(random);
    }
    return particles;
}

struct Result {
    std::shared_ptr<ParticleSet> particles;
    ListUse use;
};

Result run(std::size_t cells, double from_origin, const MakeForce& make, const ShortRangeSettings& settings) {
    const auto particles = box(cells, from_origin);
    Simulation sim(particles, 1e-3);
    const auto force = make(settings);
    sim.add_force(force);
    for (int step = 0; step < 3; ++step) sim.step();
    return {particles, force->list_use()};
}

// The largest difference of accelerations over the largest, particles compared by identity.
double difference(const ParticleSet& a, const ParticleSet& b) {
    const auto norm = [](const Vec3<double>& v) { return std::sqrt(dot(v, v)); };
    std::vector<Vec3<double>> by_id(b.size());
    double apart = 0, largest = 0;
    for (std::size_t row = 0; row < b.size(); ++row) by_id[b[id][row]] = b[acceleration][row];
    for (std::size_t row = 0; row < a.size(); ++row) {
        apart = std::max(apart, norm(a[acceleration][row] - by_id[a[id][row]]));
        largest = std::max(largest, norm(by_id[a[id][row]]));
    }
    return apart / largest;
}

void check(Checks& checks, const std::string& what, const MakeForce& make, const std::string& name, std::size_t cells) {
    for (const double from_origin : {0.0, 1e4}) {
        const Result host = run(cells, from_origin, make, {.precision = Precision::double_});
        for (const Precision precision : {Precision::single_, Precision::double_}) {
            const Result device = run(cells, from_origin, make, {.precision = precision, .device = open_device(name)});
            const double apart = difference(*device.particles, *host.particles);
            checks.that(apart <= (precision == Precision::single_ ? 2e-5 : 1e-9),
                        (precision == Precision::single_ ? "single" : "double") +
                            std::string(from_origin > 0 ? ", far from the origin, " : ", ") + what +
                            " against the host",
                        "largest difference " + std::to_string(1e6 * apart) + "e-6");
            checks.that(device.use.reuses == 3 && host.use.reuses == 3, "lists were reused");
        }
    }
}

}  // namespace

void check_short_range(Checks& checks, const std::string& name, bool small) {
    const std::size_t cells = small ? 9 : 40;
    for (const Truncation truncation : {Truncation::plain, Truncation::force_shifted}) {
        const MakeForce atoms = [=](const ShortRangeSettings& settings) {
            return lennard_jones(1, 1, 2.5, truncation, settings);
        };
        check(checks, "Lennard-Jones atoms", atoms, name, cells);
    }
    for (const Smoothing kernel : {Smoothing::cubic_spline, Smoothing::wendland_c2, Smoothing::wendland_c4}) {
        const MakeForce gas = [=](const ShortRangeSettings& search) {
            SphSettings settings;
            settings.kernel = kernel;
            settings.viscosity = ConstantViscosity();
            settings.search = search;
            return std::make_shared<SphForce>(settings);
        };
        check(checks, "gas", gas, name, cells);
    }
}
