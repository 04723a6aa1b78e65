// Cost of several kinds of atoms: the Lennard-Jones melt of bench_short_range as atoms of one kind and as a mixture of
// many kinds with random parameters, on the same atoms at the same places. Steps are so short that atoms stay where
// they are.
#include <algorithm>
#include <ctime>
#include <memory>
#include <random>
#include <utility>

#include "shared/boxes.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "shared/spread.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/run/simulation.hpp"

using namespace bench;
using trellis::Truncation;

namespace {

constexpr double cutoff = 2.5;
constexpr std::pair<const char*, Truncation> truncations[] = {{"plain", Truncation::plain},
                                                              {"energy-shifted", Truncation::energy_shifted},
                                                              {"force-shifted", Truncation::force_shifted},
                                                              {"switched", Truncation::switched}};

// The melt, as places and velocities.
std::shared_ptr<trellis::ParticleSet> melt(std::size_t cells) {
    auto atoms = crystal(cells);
    trellis::Simulation sim(atoms, 0.005);
    sim.add_force(trellis::lennard_jones(1, 1, cutoff));
    for (int k = 0; k < 50; ++k) sim.step();
    return atoms;
}

// Kinds of random depth, and sizes about 1.
trellis::Mixture random_mixture(std::size_t kinds, Truncation truncation) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> depth(0.5, 1.5), size(0.9, 1.1);
    trellis::Mixture mixture;
    for (std::size_t k = 0; k < kinds; ++k) mixture.kinds.push_back({text("k%zu", k), depth(random), size(random)});
    mixture.truncation = truncation;
    mixture.cutoff = cutoff;
    return mixture;
}

// A simulation of these atoms; kinds: 0 for the force between atoms of one kind, else the kinds of a mixture.
struct Case {
    Case(const trellis::ParticleSet& start, std::size_t cells, std::size_t kinds, Truncation truncation,
         const trellis::ShortRangeSettings& settings)
        : atoms(crystal(cells)), sim(atoms, 1e-7) {
        for (const char* name : {"position", "velocity"})
            std::copy_n(start.column(name).values(), 3 * start.size(), atoms->column(name).values());
        if (kinds == 0) {
            sim.add_force(trellis::lennard_jones(1, 1, cutoff, truncation, settings));
        } else {
            std::mt19937_64 random(3);
            for (double& kind : atoms->add(trellis::fields::particle_kind))
                kind = static_cast<double>(random() % kinds);
            sim.add_force(trellis::lennard_jones(random_mixture(kinds, truncation), settings));
        }
        sim.step();
    }

    // Nanoseconds of processor time for an atom and step.
    double nanoseconds(std::size_t steps) {
        const std::clock_t start = std::clock();
        for (std::size_t k = 0; k < steps; ++k) sim.step();
        return 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC /
               static_cast<double>(steps * atoms->size());
    }

    std::shared_ptr<trellis::ParticleSet> atoms;
    trellis::Simulation sim;
};

void compare(const Options& given, const Table& table, const trellis::ParticleSet& start,
             trellis::Precision precision) {
    const auto cells = given.integer("cells"), steps = given.integer("steps");
    for (const auto& [name, truncation] : truncations)
        for (const auto kinds : given.integers<std::size_t>("kinds")) {
            const trellis::ShortRangeSettings settings{.reuse_steps = 16, .precision = precision};
            Case one(start, cells, 0, truncation, settings), many(start, cells, kinds, truncation, settings);
            std::vector<double> of_one, of_many, ratios;
            for (std::size_t round = 0; round < given.integer("rounds"); ++round) {
                of_one.push_back(one.nanoseconds(steps));
                of_many.push_back(many.nanoseconds(steps));
                ratios.push_back(of_many.back() / of_one.back());
            }
            const Spread ratio = spread(ratios);
            table.row({text("%s, %s, %zu", name, precision == trellis::Precision::single_ ? "single" : "double", kinds),
                       text("%.1f", spread(of_one).median), text("%.1f", spread(of_many).median),
                       text("%.3f", ratio.median), text("%.3f to %.3f", ratio.low, ratio.high)});
        }
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"cells", "20", "fcc cells along each side: 4 cells^3 atoms"},
                                         {"kinds", "1,2,27,64", "kinds of atoms, at random among the atoms"},
                                         {"steps", "32", "steps of a round"},
                                         {"rounds", "9", "rounds, in each of which both forces are measured"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Kinds of Lennard-Jones atoms",
                     "One thread, processor time: nanoseconds an atom and step, medians over rounds, lists made every "
                     "16 steps; the ratio of both forces in a round, its median and range.");
        trellis::set_thread_count(1);
        const auto start = melt(given.integer("cells"));
        const Table table({"end, precision, kinds", "one kind", "kinds", "ratio", "from, to"});
        for (const auto precision : {trellis::Precision::single_, trellis::Precision::double_})
            compare(given, table, *start, precision);
    });
}
