// Smoothed particle hydrodynamics: particle updates a second on one core (densities with their smoothing lengths,
// velocity gradients, then forces), seconds by phase, and pairs tested. A periodic box of gas, density 1, sound speed
// 1, in slow motion.
#include <ctime>
#include <memory>

#include "shared/boxes.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "shared/spread.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/run/simulation.hpp"

using namespace bench;

namespace {

std::vector<std::string> row_of(std::size_t side, const trellis::SphSettings& settings, std::size_t steps) {
    const auto gas = box_of_gas(side);
    trellis::Simulation sim(gas, 0.1 / static_cast<double>(side));
    const auto force = std::make_shared<trellis::SphForce>(settings);
    sim.add_force(force);
    for (int k = 0; k < 3; ++k) sim.step();
    const std::uint64_t made = force->list_use().constructions;
    std::vector<double> taken;
    double total = 0, wall = 0, lists = 0, kernel = 0, pairs = 0;
    for (std::size_t k = 0; k < steps; ++k) {
        const std::clock_t start = std::clock();
        sim.step();
        taken.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        total += taken.back();
        pairs += static_cast<double>(sim.work().pairs);
        for (std::size_t p = 0; p < trellis::phase_names.size(); ++p)
            wall += sim.phases().seconds(static_cast<trellis::Phase>(p));
        kernel += sim.phases().seconds(trellis::Phase::force_kernel);
        for (const auto phase :
             {trellis::Phase::set_root_cell, trellis::Phase::calculate_key, trellis::Phase::sort_key,
              trellis::Phase::reorder_particles, trellis::Phase::link_tree_cell, trellis::Phase::calculate_moments,
              trellis::Phase::make_interaction_list, trellis::Phase::check_lists})
            lists += sim.phases().seconds(phase);
    }
    const auto count = static_cast<double>(gas->size()), updates = count * static_cast<double>(steps);
    double neighbours = 0;
    for (const double number : (*gas)[trellis::fields::neighbour_number]) neighbours += number;
    const Spread step = spread(taken);
    return {text("%zu, %u, %g", gas->size(), settings.search.reuse_steps, *settings.search.skin_ratio),
            text("%.0f", 1e9 * step.median / count),
            text("%.0f to %.0f", 1e9 * step.low / count, 1e9 * step.high / count),
            text("%.2f", 1e-6 * updates / total),
            text("%.0f %%", 100 * lists / wall),
            text("%.0f %%", 100 * kernel / wall),
            text("%.1f", neighbours / count),
            text("%.0f", pairs / updates),
            text("%llu", static_cast<unsigned long long>(force->list_use().constructions - made))};
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {
        {"side", "64", "particles along each side: side^3 in all"},
        {"neighbours", "64", "neighbour number"},
        {"skin", "0.05,0.1,0.2", "the skin over the search radius"},
        {"reuse", "1,16", "steps that lists serve at most (n_reuse)"},
        {"group", "0", "most i-particles that share one search (n_grp); 0: as a force chooses"},
        {"steps", "20", "steps that are measured"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Gas",
                     "Wendland C2, single precision. One thread, processor time: nanoseconds a particle and step.");
        trellis::set_thread_count(1);
        const Table table({"particles, n_reuse, skin", "a step", "from, to", "M updates/s", "lists", "kernels",
                           "neighbours", "pairs tested", "constructions"});
        for (const auto side : given.integers<std::size_t>("side"))
            for (const auto reuse : given.integers<std::uint32_t>("reuse"))
                for (const double skin : given.numbers("skin")) {
                    trellis::SphSettings settings;
                    settings.neighbours = given.numbers("neighbours").at(0);
                    settings.search = {.reuse_steps = reuse,
                                       .skin_ratio = skin,
                                       .group_size = given.integers<std::uint32_t>("group").at(0)};
                    table.row(row_of(side, settings, given.integer("steps")));
                }
    });
}
