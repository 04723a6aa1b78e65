#include "short_range_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/forces/step_limit.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/run/simulation.hpp"

using namespace trellis;
using namespace trellis::fields;

namespace {

using MakeForce = std::function<std::shared_ptr<Force>(const ShortRangeSettings&)>;

// A disturbed lattice of spacing 1.1 that is periodic along its axes, of atoms of two kinds; with a field of internal
// energies it is a gas. Along the other axes of space all particles are at one place.
std::shared_ptr<ParticleSet> box(std::size_t size, int dimensions, double from_origin) {
    constexpr double spacing = 1.1;
    const auto cells = static_cast<std::size_t>(std::lround(std::pow(static_cast<double>(size), 1.0 / dimensions)));
    auto particles =
        std::make_shared<ParticleSet>(static_cast<std::size_t>(std::pow(static_cast<double>(cells), dimensions) + 0.5));
    Region region;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis) {
        region.low[axis] = from_origin;
        region.high[axis] = from_origin + spacing * static_cast<double>(cells);
    }
    particles->set_region(region);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> shake(0.4, 0.6);
    const auto u = particles->add(internal_energy), softenings = particles->add(softening);
    const auto kind = particles->add(particle_kind);
    for (std::size_t row = 0; row < particles->size(); ++row) {
        const std::array cell{row % cells, row / cells % cells, row / cells / cells};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool along = region.periodic(axis);
            const double place = spacing * (static_cast<double>(cell[axis]) + shake(random));
            (*particles)[position][row][axis] = from_origin + (along ? place : 0);
            (*particles)[velocity][row][axis] = along ? shake(random) - 0.5 : 0;
        }
        (*particles)[mass][row] = 2 * shake(random);
        u[row] = shake(random);
        softenings[row] = shake(random);
        kind[row] = static_cast<double>(row % 2);
    }
    return particles;
}

struct Result {
    std::shared_ptr<ParticleSet> particles;
    ListUse use;
};

Result run(const std::shared_ptr<ParticleSet>& particles, const MakeForce& make, const ShortRangeSettings& settings) {
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

// Allowed differences in single precision.
constexpr double rounding = 2e-5;
// In one dimension a particle has few neighbours, whose forces nearly cancel: on the host alone, single precision
// differs from double by 3e-5.
constexpr double rounding_of_few = 1e-4;
// Softening by the kernel is a difference of polynomials, which loses most digits for Wendland's C4.
constexpr double rounding_of_softening = 2e-4;

struct Case {
    int dimensions = 3;
    Lists lists = Lists::reuse;
    double allowed = rounding;  // in single precision
};

void check(Checks& checks, const std::string& what, const MakeForce& make, const std::string& name, std::size_t size,
           const Case& of = {}) {
    for (const double from_origin : {0.0, 1e4}) {
        const auto begin = [&] { return box(size, of.dimensions, from_origin); };
        const Result host = run(begin(), make, {.lists = of.lists, .precision = Precision::double_});
        for (const Precision precision : {Precision::single_, Precision::double_}) {
            const Result device =
                run(begin(), make, {.lists = of.lists, .precision = precision, .device = open_device(name)});
            const double apart = difference(*device.particles, *host.particles);
            checks.that(apart <= (precision == Precision::single_ ? of.allowed : 1e-9),
                        (precision == Precision::single_ ? "single" : "double") +
                            std::string(from_origin > 0 ? ", far from the origin, " : ", ") + what +
                            " against the host",
                        "largest difference " + std::to_string(1e6 * apart) + "e-6");
            if (of.lists == Lists::reuse)
                checks.that(device.use.reuses == 3 && host.use.reuses == 3, "lists were reused");
        }
    }
}

// Pairs of atoms that are neighbours on the lattice, by turns left out and scaled.
std::vector<ExcludedPair> bonds(std::size_t size) {
    std::vector<ExcludedPair> pairs;
    for (std::uint64_t i = 0; i + 1 < size; i += 3) pairs.push_back({i, i + 1, i % 2 == 0 ? 0 : 0.4});
    return pairs;
}

// As atoms, and as molecules whose bonds exclude pairs.
void check_with_bonds(Checks& checks, const std::string& what, const MakeForce& make, const std::string& name,
                      std::size_t size) {
    check(checks, what, make, name, size);
    const MakeForce without = [=](ShortRangeSettings settings) {
        settings.exclude = bonds(size);
        return make(settings);
    };
    check(checks, what + " with excluded pairs", without, name, size);
}

void check_atoms(Checks& checks, const std::string& name, std::size_t size) {
    for (const Truncation truncation : {Truncation::plain, Truncation::force_shifted}) {
        const MakeForce atoms = [=](const ShortRangeSettings& settings) {
            return lennard_jones(1, 1, 2.5, truncation, settings);
        };
        check_with_bonds(checks, "Lennard-Jones atoms", atoms, name, size);
    }
    for (const Truncation truncation :
         {Truncation::plain, Truncation::energy_shifted, Truncation::force_shifted, Truncation::switched}) {
        const MakeForce atoms = [=](const ShortRangeSettings& settings) {
            Mixture mixture;
            mixture.kinds = {{"a", 1, 1}, {"b", 0.5, 0.9}};
            mixture.truncation = truncation;
            return lennard_jones(mixture, settings);
        };
        check_with_bonds(checks, "atoms of two kinds", atoms, name, size);
    }
}

MakeForce gas(Smoothing kernel, int dimensions, const std::optional<SelfGravity>& softening,
              const EquationOfState& state = IdealGas()) {
    return [=](const ShortRangeSettings& search) {
        SphSettings settings;
        settings.kernel = kernel;
        settings.dimensions = dimensions;
        settings.neighbours = dimensions == 1 ? 6 : dimensions == 2 ? 20 : 64;
        settings.viscosity = ConstantViscosity();
        settings.adaptive_softening = softening;
        settings.gas = state;
        settings.search = search;
        return std::make_shared<SphForce>(settings);
    };
}

// The device makes the lists, and the host computes.
std::shared_ptr<Force> gas_with_lists_ahead(const ShortRangeSettings& search) {
    SphSettings settings;
    settings.viscosity = ConstantViscosity();
    settings.search = search;
    std::swap(settings.neighbours_device, settings.search.device);
    return std::make_shared<SphForce>(settings);
}

void check_gas(Checks& checks, const std::string& name, std::size_t size) {
    const Case softened{.allowed = rounding_of_softening};
    for (const Smoothing kernel : {Smoothing::cubic_spline, Smoothing::wendland_c2, Smoothing::wendland_c4}) {
        for (const int dimensions : {3, 2, 1}) {
            const Case in{.dimensions = dimensions, .allowed = dimensions == 1 ? rounding_of_few : rounding};
            const std::string space = std::to_string(dimensions) + "D";
            check(checks, "gas in " + space, gas(kernel, dimensions, {}), name, size, in);
            check(checks, "isothermal gas in " + space, gas(kernel, dimensions, {}, IsothermalGas{0.5}), name, size,
                  in);
        }
        check(checks, "gas, softened", gas(kernel, 3, SelfGravity{0.3}), name, size, softened);
        check(checks, "gas, softenings that differ", gas(kernel, 3, SelfGravity{}), name, size, softened);
    }
    check(checks, "gas with lists of the device", gas_with_lists_ahead, name, size, {.lists = Lists::rebuild});
}

// Four of five particles take four steps in each longest one; the device computes them within it.
void check_own_steps(Checks& checks, const std::string& name, std::size_t size) {
    const double longest = 1e-3;
    const auto run = [&](const Devices& device) {
        const auto particles = box(size, 3, 0);
        Simulation sim(particles, longest);
        sim.set_individual_steps(0.025);
        sim.add_force(gas(Smoothing::wendland_c2, 3, {})({.precision = Precision::double_, .device = device}));
        const auto shorter = [longest](const ParticleSet& all, double, const ActiveRows& rows) {
            std::vector<double> steps(rows.count(all.size()));
            for (std::size_t k = 0; k < steps.size(); ++k) steps[k] = all[id][rows[k]] % 5 == 0 ? longest : longest / 4;
            return steps;
        };
        sim.add_force(std::make_shared<StepLimit>(shorter, "the limit"));
        sim.run_steps(3);
        return particles;
    };
    const auto host = run({}), device = run(open_device(name));
    std::vector<double> rungs(host->size());
    for (std::size_t row = 0; row < rungs.size(); ++row) rungs[(*host)[id][row]] = (*host)[rung][row];
    bool same = true;
    for (std::size_t row = 0; row < rungs.size(); ++row) same &= (*device)[rung][row] == rungs[(*device)[id][row]];
    checks.that(same && std::ranges::max(rungs) >= 2, "gas with individual steps has the rungs of the host");
    const double apart = difference(*device, *host);
    checks.that(apart <= 1e-9, "double, gas with individual steps against the host",
                "largest difference " + std::to_string(1e6 * apart) + "e-6");
}

}  // namespace

void check_short_range(Checks& checks, const std::string& name, bool small) {
    const std::size_t size = small ? 729 : 64'000;
    check_atoms(checks, name, size);
    check_gas(checks, name, size);
    check_own_steps(checks, name, size);
}
