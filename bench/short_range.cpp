// Forces of short range: particle updates a second on one core, what a construction and a reusing step cost, and how many pairs are tested for each
// that counts. The melt is LAMMPS's in.lj: fcc crystal of density 0.8442, temperature 1.44, cutoff 2.5, time step 0.005.
#include <cmath>
#include <memory>
#include <random>

#include "options.hpp"
#include "report.hpp"
#include "spread.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/lennard_jones_force.hpp"
#include "trellis/run/simulation.hpp"

using namespace bench;

namespace {

std::shared_ptr<trellis::ParticleSet> crystal(std::size_t cells) {
    constexpr double corners[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    const double spacing = std::cbrt(4 / 0.8442), side = spacing * static_cast<double>(cells);
    auto atoms = std::make_shared<trellis::ParticleSet>(4 * cells * cells * cells);
    atoms->set_region({{0, 0, 0}, {side, side, side}});
    std::mt19937_64 random(1);
    std::normal_distribution<double> thermal(0, std::sqrt(1.44));
    for (std::size_t k = 0; k < atoms->size(); ++k) {
        const std::size_t cell = k / 4;
        const double place[3] = {static_cast<double>(cell % cells), static_cast<double>(cell / cells % cells),
                                 static_cast<double>(cell / cells / cells)};
        for (std::size_t axis = 0; axis < 3; ++axis)
            (*atoms)[trellis::position][k][axis] = spacing * (place[axis] + corners[k % 4][axis]);
        (*atoms)[trellis::velocity][k] = {thermal(random), thermal(random), thermal(random)};
        (*atoms)[trellis::mass][k] = 1;
    }
    return atoms;
}

// Pairs within the cutoff, each seen from both sides.
double pairs_within(const trellis::ParticleSet& atoms, double cutoff) {
    const auto x = atoms[trellis::position];
    const double side = atoms.region().high.x;
    std::size_t within = 0;
    constexpr std::size_t sample = 200;
    for (std::size_t i = 0; i < sample; ++i)
        for (std::size_t j = 0; j < atoms.size(); ++j) {
            double r2 = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double d = x[j][axis] - x[i * (atoms.size() / sample)][axis];
                r2 += std::pow(d - side * std::round(d / side), 2);
            }
            within += r2 > 0 && r2 < cutoff * cutoff ? 1 : 0;
        }
    return static_cast<double>(within) / sample;
}

struct Steps {
    std::vector<double> construction, reusing, all;
};

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"cells", "20,40", "fcc cells along each side: 4 cells^3 atoms"},
                                         {"skin", "0.12,0.2", "share of the cutoff by which lists go beyond it"},
                                         {"reuse", "1,20", "steps that lists serve at most (n_reuse)"},
                                         {"group", "128", "most i-particles that share one search (n_grp)"},
                                         {"warm", "50", "steps before: the crystal melts"},
                                         {"steps", "100", "steps that are measured"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Lennard-Jones melt", "One thread. Nanoseconds an atom and step: medians over the steps of a kind.");
        trellis::set_thread_count(1);
        const Table table({"atoms, skin, n_reuse, n_grp", "construction", "reusing", "kernel", "M atom-steps/s",
                           "pairs tested / used", "constructions", "early"});
        for (const auto cells : given.integers<std::size_t>("cells"))
            for (const double skin : given.numbers("skin"))
                for (const auto reuse : given.integers<std::uint32_t>("reuse"))
                    for (const auto group : given.integers<std::uint32_t>("group")) {
                        const auto atoms = crystal(cells);
                        trellis::Simulation sim(atoms, 0.005);
                        const std::shared_ptr<trellis::ShortRangeForce> force = trellis::lennard_jones(
                            1, 1, 2.5, trellis::Truncation::plain,
                            {.reuse_steps = reuse, .skin = skin, .group_size = group});
                        sim.add_force(force);
                        for (std::size_t k = 0; k < given.integer("warm"); ++k) sim.step();
                        const trellis::ListUse before = force->list_use();
                        Steps steps;
                        std::vector<double> kernel;
                        for (std::size_t k = 0; k < given.integer("steps"); ++k) {
                            const std::uint64_t made = force->list_use().constructions;
                            steps.all.push_back(seconds([&] { sim.step(); }));
                            (force->list_use().constructions > made ? steps.construction : steps.reusing)
                                .push_back(steps.all.back());
                            kernel.push_back(sim.phases().seconds(trellis::Phase::force_kernel));
                        }
                        const auto count = static_cast<double>(atoms->size());
                        const auto nanoseconds = [&](const std::vector<double>& values) {
                            return values.empty() ? std::string("-") : text("%.0f", 1e9 * spread(values).median / count);
                        };
                        double total = 0;
                        for (const double step : steps.all) total += step;
                        const trellis::ListUse& use = force->list_use();
                        table.row({text("%zu, %g, %u, %u", atoms->size(), skin, reuse, group),
                                   nanoseconds(steps.construction), nanoseconds(steps.reusing), nanoseconds(kernel),
                                   text("%.2f", 1e-6 * count * static_cast<double>(steps.all.size()) / total),
                                   text("%.1f", static_cast<double>(sim.work().pairs) / count / pairs_within(*atoms, 2.5)),
                                   text("%llu", static_cast<unsigned long long>(use.constructions - before.constructions)),
                                   text("%llu", static_cast<unsigned long long>(use.early - before.early))});
                    }
    });
}
