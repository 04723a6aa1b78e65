// Time against error: the cost of an accuracy by method, order and criterion.
#include "shared/measured_run.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"

using namespace bench;

namespace {

struct Setting {
    std::string name;
    trellis::ForceSettings force;
};

std::vector<Setting> settings(const Options& given) {
    std::vector<Setting> all;
    for (const double accuracy : given.numbers("accuracy"))
        all.push_back({text("default, accuracy %g", accuracy), {.accuracy = accuracy}});
    for (const int order : given.integers<int>("fmm-order"))
        for (const double accuracy : given.numbers("accuracy"))
            all.push_back({text("fmm %d, accuracy %g", order, accuracy),
                           {.accuracy = accuracy,
                            .method = trellis::Method::fmm,
                            .criterion = trellis::Criterion::relative,
                            .order = order}});
    for (const int order : given.integers<int>("tree-order"))
        for (const double theta : given.numbers("theta"))
            all.push_back({text("tree %d, theta %g", order, theta),
                           {.theta = theta, .method = trellis::Method::tree, .order = order, .leaf_size = 8}});
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"model", "sphere,plummer", "initial conditions"},
                                         {"particles", "1048576", "number of particles"},
                                         {"accuracy", "1e-2,3e-3,1e-3,3e-4,1e-4", "requested accuracies"},
                                         {"fmm-order", "2,3,4,5", "orders of local expansions"},
                                         {"tree-order", "1,2", "orders of superparticles"},
                                         {"theta", "0.3,0.5,0.7", "opening angles of superparticles"},
                                         {"threads", "1", "number of threads"},
                                         {"steps", "5", "steps timed"},
                                         {"check", "2000", "particles compared with direct summation"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Time against error",
                     "Seconds of a step, with tree and lists made at every step and the lists kept; errors relative to "
                     "direct summation in double precision. Softening 1e-3.");
        const Table table({"setting", "model", "median s", "lowest s", "highest s", "RMS", "median", "99 %", "largest",
                           "pairs/N", "expansions/N", "multipoles/N"});
        for (const std::string& model : given.texts("model"))
            for (const Setting& setting : settings(given)) {
                const std::size_t size = given.integer("particles");
                const Measured m = measured_run(model, size, static_cast<int>(given.integer("threads")), setting.force,
                                                given.integer("steps"), given.integer("check"));
                const auto each = [&](std::uint64_t count) {
                    return text("%.1f", static_cast<double>(count) / static_cast<double>(size));
                };
                table.row({setting.name, model, text("%.3f", m.step.median), text("%.3f", m.step.low),
                           text("%.3f", m.step.high), text("%.1e", m.error.rms), text("%.1e", m.error.median),
                           text("%.1e", m.error.percentile_99), text("%.1e", m.error.maximum), each(m.work.pairs),
                           each(m.work.expansions), each(m.work.multipoles)});
            }
    });
}
