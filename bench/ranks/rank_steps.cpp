// A step of several ranks, phase by phase. The ranks are processes: mpirun -n RANKS bench_rank_steps;
// bench/ranks/ranks.sh runs the compared cases.
#include <optional>

#include "shared/measured_run.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "trellis/ranks/comm/collective.hpp"

using namespace bench;

namespace {

constexpr std::size_t phase_count = trellis::phase_names.size();

// The slowest rank's seconds, and the seconds of each phase averaged over the ranks; the last part is time outside the
// phases.
struct Shared {
    double step;
    std::array<double, phase_count + 1> parts{};
};

Shared timed_step(trellis::Simulation& sim) {
    trellis::Comm& comm = sim.comm();
    trellis::all_gather(comm, comm.rank());  // all begin together
    std::array<double, phase_count + 1> own{};
    const double step = seconds([&] { sim.step(); });
    own[phase_count] = step;
    for (std::size_t p = 0; p < phase_count; ++p) {
        own[p] = sim.phases().seconds(static_cast<trellis::Phase>(p));
        own[phase_count] -= own[p];
    }
    Shared all{};
    for (const double t : trellis::all_gather(comm, step)) all.step = std::max(all.step, t);
    for (const auto& parts : trellis::all_gather(comm, own))
        for (std::size_t p = 0; p <= phase_count; ++p) all.parts[p] += parts[p] / comm.size();
    return all;
}

std::vector<Shared> timed_steps(const std::string& name, std::size_t size, const trellis::ForceSettings& settings,
                                std::size_t steps) {
    constexpr double timestep = 1e-6;  // so short that all steps are equal work
    constexpr int until_balanced = 8;
    const auto comm = trellis::world();
    trellis::Simulation sim(share(*model(name, size), comm->rank(), comm->size()), timestep, comm);
    sim.add_force(trellis::gravity(softening, 1, settings));
    for (int k = 0; k < until_balanced; ++k) sim.step();
    std::vector<Shared> all;
    for (std::size_t k = 0; k < steps; ++k) all.push_back(timed_step(sim));
    return all;
}

std::vector<std::string> row_of(const std::string& title, const std::vector<Shared>& steps) {
    std::vector<double> values;
    double sum = 0;
    std::array<double, phase_count + 1> parts{};
    for (const Shared& step : steps) {
        values.push_back(1e3 * step.step);
        sum += 1e3 * step.step;
        for (std::size_t p = 0; p <= phase_count; ++p) parts[p] += 1e3 * step.parts[p];
    }
    const Spread whole = spread(values);
    const auto count = static_cast<double>(steps.size());
    std::vector<std::string> row = {title};
    for (const double value : {whole.median, whole.low, whole.high, sum / count}) row.push_back(text("%.0f", value));
    for (const double part : parts) row.push_back(text("%.1f", part / count));
    return row;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"model", "sphere,plummer", "initial conditions"},
                                         {"particles", "1048576", "numbers of particles of all ranks"},
                                         {"method", "fmm,tree", "fmm: accuracy 1e-3; tree: monopoles, theta 0.5"},
                                         {"steps", "16", "steps timed; particles change ranks every eighth"}};
    return run(argc, argv, options, [](const Options& given) {
        const auto comm = trellis::world();
        std::optional<Table> table;
        if (comm->rank() == 0) {
            print_header("A step of several ranks",
                         "Milliseconds of the slowest rank's step: median, lowest, highest, mean. Of the phases, means "
                         "over ranks "
                         "and steps, with what ranks wait for each other in them.");
            std::vector<std::string> titles = {"model, N, method, ranks x threads", "Total", "lowest", "highest",
                                               "mean"};
            for (const auto name : trellis::phase_names) titles.emplace_back(name);
            titles.emplace_back("between phases");
            table.emplace(titles);
        }
        for (const std::string& name : given.texts("model"))
            for (const auto size : given.integers<std::size_t>("particles"))
                for (const std::string& method : given.texts("method")) {
                    const auto steps = timed_steps(name, size, settings_of(method), given.integer("steps"));
                    if (table)
                        table->row(row_of(text("%s, %zu, %s, %d x %d", name.c_str(), size, method.c_str(), comm->size(),
                                               trellis::thread_count()),
                                          steps));
                }
    });
}
