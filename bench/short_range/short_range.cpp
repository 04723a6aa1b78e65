// Short-range forces: particle updates a second on one core, the cost of a construction and a reusing step, and the
// number of pairs tested for each within the cutoff. The melt is LAMMPS's in.lj: fcc crystal of density 0.8442,
// temperature 1.44, cutoff 2.5, time step 0.005.
#include <cmath>
#include <ctime>
#include <memory>

#include "shared/boxes.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "shared/spread.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/run/simulation.hpp"

using namespace bench;

namespace {

// Pairs within the cutoff per particle, each counted from both sides.
double pairs_within(const trellis::ParticleSet& atoms, double cutoff) {
    const auto x = atoms[trellis::fields::position];
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

// Processor time of this process, which runs one thread: time taken by other processes does not count.
template <class Body>
double processor_seconds(Body&& body) {
    const std::clock_t start = std::clock();
    body();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

struct Steps {
    std::vector<double> construction, reusing;
    double total = 0;
};

struct Melt {
    Melt(std::size_t cells, const trellis::ShortRangeSettings& settings, std::size_t warm_up)
        : atoms(crystal(cells)),
          sim(atoms, 0.005),
          force(trellis::lennard_jones(1, 1, 2.5, trellis::Truncation::plain, settings)) {
        sim.add_force(force);
        for (std::size_t k = 0; k < warm_up; ++k) sim.step();
    }

    Steps follow(std::size_t count) {
        Steps steps;
        for (std::size_t k = 0; k < count; ++k) {
            const std::uint64_t made = force->list_use().constructions;
            const double taken = processor_seconds([&] { sim.step(); });
            (force->list_use().constructions > made ? steps.construction : steps.reusing).push_back(taken);
            steps.total += taken;
        }
        return steps;
    }

    std::shared_ptr<trellis::ParticleSet> atoms;
    trellis::Simulation sim;
    std::shared_ptr<trellis::ShortRangeForce> force;
};

std::vector<std::string> row_of(std::size_t cells, const trellis::ShortRangeSettings& settings, std::size_t warm_up,
                                std::size_t count) {
    Melt melt(cells, settings, warm_up);
    const trellis::ListUse before = melt.force->list_use();
    const Steps steps = melt.follow(count);
    const trellis::ListUse& after = melt.force->list_use();
    const auto atoms = static_cast<double>(melt.atoms->size());
    const auto nanoseconds = [&](const std::vector<double>& values) {
        return values.empty() ? std::string("-") : text("%.0f", 1e9 * spread(values).median / atoms);
    };
    const double tested = static_cast<double>(melt.sim.work().pairs) / atoms;
    return {
        text("%zu, %g, %u, %u", melt.atoms->size(), *settings.skin_ratio, settings.reuse_steps, settings.group_size),
        nanoseconds(steps.construction),
        nanoseconds(steps.reusing),
        text("%.2f", 1e-6 * atoms * static_cast<double>(count) / steps.total),
        text("%.1f", tested / pairs_within(*melt.atoms, 2.5)),
        text("%llu", static_cast<unsigned long long>(after.constructions - before.constructions)),
        text("%llu", static_cast<unsigned long long>(after.early - before.early))};
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"cells", "20,40", "fcc cells along each side: 4 cells^3 atoms"},
                                         {"skin", "0.2,0.3", "the skin over the cutoff"},
                                         {"reuse", "1,64", "steps that lists serve at most (n_reuse)"},
                                         {"group", "256", "most i-particles that share one search (n_grp)"},
                                         {"warm", "50", "steps before: the crystal melts"},
                                         {"steps", "100", "steps that are measured"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Lennard-Jones melt",
                     "One thread, processor time. Nanoseconds an atom and step: medians over the steps of a kind.");
        trellis::set_thread_count(1);
        const Table table({"atoms, skin, n_reuse, n_grp", "construction", "reusing", "M atom-steps/s",
                           "pairs tested / used", "constructions", "early"});
        for (const auto cells : given.integers<std::size_t>("cells"))
            for (const double skin : given.numbers("skin"))
                for (const auto reuse : given.integers<std::uint32_t>("reuse"))
                    for (const auto group : given.integers<std::uint32_t>("group"))
                        table.row(row_of(cells, {.reuse_steps = reuse, .skin_ratio = skin, .group_size = group},
                                         given.integer("warm"), given.integer("steps")));
    });
}
