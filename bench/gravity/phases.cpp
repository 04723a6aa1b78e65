// Table 2 of Iwasawa et al. (2020): the time of a step by phase, opening angle and group size.
#include "shared/measured_run.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"

using namespace bench;

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"model", "sphere,plummer", "initial conditions"},
                                         {"particles", "1048576,4194304", "numbers of particles"},
                                         {"theta", "0.25,0.5,0.75,1.0", "opening angles"},
                                         {"group", "32,64,128,512,2048", "group sizes (n_grp)"},
                                         {"leaf", "8", "leaf size (n_leaf)"},
                                         {"threads", "1,2", "numbers of threads"},
                                         {"steps", "5", "steps timed"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header(
            "Phases of a step",
            "Tree code with monopoles, geometric criterion. Milliseconds, medians of the steps; tree and lists "
            "are made at every step, and the lists are kept.");
        std::vector<std::string> titles = {"model, N, theta, n_grp, threads"};
        for (const auto name : trellis::phase_names) titles.emplace_back(name);
        for (const char* title : {"Total", "lowest", "highest", "pairs/N", "list MB"}) titles.emplace_back(title);
        const Table table(titles);
        for (const std::string& model : given.texts("model"))
            for (const auto size : given.integers<std::size_t>("particles"))
                for (const double theta : given.numbers("theta"))
                    for (const auto group : given.integers<std::uint32_t>("group"))
                        for (const int threads : given.integers<int>("threads")) {
                            const auto leaf = static_cast<std::uint32_t>(given.integer("leaf"));
                            const Measured m = measured_run(model, size, threads,
                                                            {.theta = theta,
                                                             .method = trellis::Method::tree,
                                                             .order = 1,
                                                             .group_size = group,
                                                             .leaf_size = leaf},
                                                            given.integer("steps"), 0);
                            std::vector<std::string> row = {
                                text("%s, %zu, %g, %u, %d", model.c_str(), size, theta, group, threads)};
                            for (const double phase : m.phases) row.push_back(text("%.1f", 1e3 * phase));
                            for (const double t : {m.step.median, m.step.low, m.step.high})
                                row.push_back(text("%.0f", 1e3 * t));
                            row.push_back(text("%.0f", static_cast<double>(m.work.pairs) / static_cast<double>(size)));
                            row.push_back(text("%.0f", static_cast<double>(m.list_bytes) / 1e6));
                            table.row(row);
                        }
    });
}
