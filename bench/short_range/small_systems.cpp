// Ensembles of small systems on one core, or on a device: atom-steps a second, without a thermostat, with Langevin's
// and with a chain of three. Clusters of 13 and 55 atoms in open space, where a chain is not canonical and is left out;
// beyond, liquids of density 0.8442 in boxes. Lennard-Jones with cutoff 2.5, temperature 0.7 (clusters: 0.2), time step
// 0.005.
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>

#include "shared/options.hpp"
#include "shared/report.hpp"
#include "shared/spread.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/ensembles/built_in.hpp"
#include "trellis/ensembles/ensemble.hpp"
#include "trellis/forces/molecules/lennard_jones.hpp"

using namespace bench;

namespace {

using trellis::ParticleSet;
using trellis::Vec3;

constexpr std::size_t largest_cluster = 100;

double temperature_of(std::size_t atoms) { return atoms <= largest_cluster ? 0.2 : 0.7; }

// The positions of a face-centred lattice with four in a cell, or with density 0.8442 in a box.
std::vector<Vec3<double>> lattice(std::size_t cells, double side) {
    constexpr double corners[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    std::vector<Vec3<double>> positions;
    for (std::size_t cell = 0; cell < cells * cells * cells; ++cell)
        for (const auto& corner : corners)
            positions.push_back({side * (static_cast<double>(cell % cells) + corner[0]),
                                 side * (static_cast<double>(cell / cells % cells) + corner[1]),
                                 side * (static_cast<double>(cell / cells / cells) + corner[2])});
    return positions;
}

// A cluster: those of a lattice's positions that are nearest to one of them, a closed shell of 13 or 55.
std::vector<Vec3<double>> cluster(std::size_t atoms) {
    std::vector<Vec3<double>> positions = lattice(6, 1.56);
    const Vec3<double> middle{3 * 1.56, 3 * 1.56, 3 * 1.56};
    std::stable_sort(positions.begin(), positions.end(), [&](const Vec3<double>& a, const Vec3<double>& b) {
        return dot(a - middle, a - middle) + 1e-9 < dot(b - middle, b - middle);
    });
    positions.resize(atoms);
    return positions;
}

ParticleSet system_of(std::size_t atoms, unsigned seed) {
    ParticleSet set(atoms);
    const auto cells = static_cast<std::size_t>(std::lround(std::cbrt(static_cast<double>(atoms) / 4)));
    const double cell = std::cbrt(4 / 0.8442), box = cell * static_cast<double>(cells);
    const bool open = atoms <= largest_cluster;
    if (!open && 4 * cells * cells * cells != atoms)
        throw trellis::InputError("a liquid has 4 k^3 atoms, such as 256, 500 or 2048, not " + std::to_string(atoms));
    if (!open) set.set_region({{0, 0, 0}, {box, box, box}});
    const auto positions = open ? cluster(atoms) : lattice(cells, cell);
    std::mt19937 draw(seed);
    std::normal_distribution<double> normal(0, std::sqrt(2 * temperature_of(atoms)));  // half of it melts the lattice
    Vec3<double> mean{0, 0, 0};
    for (std::size_t k = 0; k < atoms; ++k) {
        set[trellis::fields::position][k] = positions[k];
        set[trellis::fields::mass][k] = 1;
        set[trellis::fields::velocity][k] = {normal(draw), normal(draw), normal(draw)};
        mean += set[trellis::fields::velocity][k] / static_cast<double>(atoms);
    }
    for (auto& v : set[trellis::fields::velocity]) v -= mean;
    return set;
}

trellis::Ensemble ensemble_of(std::size_t systems, std::size_t atoms, trellis::Bath bath,
                              const trellis::Devices& devices) {
    std::vector<ParticleSet> sets;
    for (std::size_t k = 0; k < systems; ++k) sets.push_back(system_of(atoms, static_cast<unsigned>(k + 1)));
    std::vector<const ParticleSet*> all;
    for (const ParticleSet& set : sets) all.push_back(&set);
    const std::vector<trellis::SystemSettings> settings(
        systems, {.timestep = 0.005, .bath = bath, .temperature = temperature_of(atoms), .relaxation_time = 1});
    const trellis::LennardJones force(1, 1, 2.5, trellis::Truncation::plain);
    std::vector<std::byte> interactions;
    for (std::size_t k = 0; k < systems; ++k) {
        const auto bytes = std::as_bytes(std::span(&force, 1));
        interactions.insert(interactions.end(), bytes.begin(), bytes.end());
    }
    return trellis::Ensemble(trellis::built_in_systems(trellis::BuiltIn::lennard_jones), std::move(interactions), all,
                             settings, devices);
}

// Seconds: of processor time on one core, else of the clock.
double now(const trellis::Devices& devices) {
    if (devices.none()) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Nanoseconds an atom and step in each of `rounds` calls, for about all_atoms atoms together.
std::vector<double> times(std::size_t atoms, trellis::Bath bath, std::size_t rounds, double milliseconds,
                          std::size_t all_atoms, const trellis::Devices& devices) {
    const std::size_t systems = std::max<std::size_t>(1, all_atoms / atoms);
    constexpr std::size_t every = 100;
    trellis::Ensemble ensemble = ensemble_of(systems, atoms, bath, devices);
    const auto call = [&](std::size_t steps) {
        const double start = now(devices);
        ensemble.advance(steps, every);
        return now(devices) - start;
    };
    call(2 * every);
    const double trial = call(every);
    const std::size_t steps =
        every * std::max<std::size_t>(1, static_cast<std::size_t>(1e-3 * milliseconds / std::max(trial, 1e-6)));
    std::vector<double> all;
    for (std::size_t round = 0; round < rounds; ++round)
        all.push_back(1e9 * call(steps) / static_cast<double>(steps * systems * atoms));
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"atoms", "13,55,256,2048", "atoms a system"},
                                         {"rounds", "7", "calls that are measured"},
                                         {"milliseconds", "200", "that a call takes, about"},
                                         {"device", "", "whose time is measured; none: one core's"},
                                         {"all-atoms", "4096", "atoms of all systems of a size together, about"}};
    return run(argc, argv, options, [](const Options& given) {
        const auto names = given.texts("device");
        const trellis::Devices devices = names.empty() ? trellis::Devices() : trellis::OpenDevices().of(names);
        print_header("Small systems",
                     (devices.none() ? "One thread, processor time" : "On " + devices.names()) +
                         ": millions of atom-steps a second, the median call and from the slowest to the fastest;\n"
                         "energies after each 100 steps.");
        if (devices.none()) trellis::set_thread_count(1);
        const Table table({"atoms a system", "none", "from, to", "Langevin", "from, to", "Nose-Hoover", "from, to"});
        for (const auto atoms : given.integers<std::size_t>("atoms")) {
            std::vector<std::string> row{text("%zu", atoms)};
            for (const auto bath : {trellis::Bath::none, trellis::Bath::langevin, trellis::Bath::nose_hoover}) {
                if (bath == trellis::Bath::nose_hoover && atoms <= largest_cluster) {
                    row.insert(row.end(), 2, "-");
                    continue;
                }
                const Spread spent =
                    spread(times(atoms, bath, given.integer("rounds"), given.numbers("milliseconds").front(),
                                 given.integer("all-atoms"), devices));
                row.push_back(text("%.2f", 1e3 / spent.median));
                row.push_back(text("%.2f to %.2f", 1e3 / spent.high, 1e3 / spent.low));
            }
            table.row(row);
        }
    });
}
