// Reusing lists over steps (paper, section 4.2): the cost of a construction step and of a reusing step besides their
// force kernels, the number of early rebuilds, and the energy error. A cold sphere of radius 1 collapses in 1.11; it is
// followed over part of that, so that reuse is measured on particles that move.
#include "shared/measured_run.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "trellis/run/measures/diagnostics.hpp"

using namespace bench;

namespace {

struct Steps {
    std::vector<double> total, rest;  // wall seconds of steps; rest: without the force kernel
};

struct Followed {
    Steps construction, reusing;
    trellis::ListUse use;
    double energy_error;
};

Followed follow(std::size_t size, const trellis::ForceSettings& settings, double eps, double timestep,
                std::size_t steps) {
    trellis::Simulation sim(model("sphere", size), timestep);
    const std::shared_ptr<trellis::ForceByTree> force = trellis::gravity(eps, 1, settings);
    sim.add_force(force);
    sim.compute_forces();
    const auto energy = [&] { return kinetic_energy(sim.particles()) + potential_energy(sim.particles()); };
    const double first = energy();
    Followed result{};
    for (std::size_t k = 0; k < steps; ++k) {
        const std::uint64_t reuses = force->list_use().reuses;
        const double total = seconds([&] { sim.step(); });
        Steps& kind = force->list_use().reuses > reuses ? result.reusing : result.construction;
        kind.total.push_back(total);
        kind.rest.push_back(total - sim.phases().seconds(trellis::Phase::force_kernel));
    }
    result.use = force->list_use();
    result.energy_error = std::abs(energy() / first - 1);
    return result;
}

double milliseconds(const std::vector<double>& values) { return values.empty() ? 0 : 1e3 * spread(values).median; }

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"particles", "131072,1048576", "numbers of particles"},
                                         {"method", "fmm,tree", "fmm: accuracy 1e-3; tree: monopoles, theta 0.5"},
                                         {"reuse", "1,2,4,8,16", "steps for which lists are kept (n_reuse)"},
                                         {"growth", "0.1", "allowed growth of sizes over distances"},
                                         {"timestep", "0.00390625", "time step"},
                                         {"softening", "0.05", "softening length"},
                                         {"steps", "64", "steps"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header(
            "Reuse of lists",
            "Cold sphere, all threads. Milliseconds, medians over the steps of a kind; without the kernel: all but "
            "the force kernel.");
        const Table table({"N, method, n_reuse, growth", "construction", "without the kernel", "reusing",
                           "without the kernel", "ratio of these", "constructions", "early", "reuses", "energy error"});
        for (const auto size : given.integers<std::size_t>("particles"))
            for (const std::string& method : given.texts("method"))
                for (const double growth : given.numbers("growth"))
                    for (const auto reuse : given.integers<std::uint32_t>("reuse")) {
                        trellis::ForceSettings settings{
                            .lists = trellis::Lists::reuse, .reuse_steps = reuse, .opening_growth = growth};
                        if (method == "tree") {
                            settings.method = trellis::Method::tree;
                            settings.order = 1;
                            settings.theta = 0.5;
                        }
                        const Followed m = follow(size, settings, given.numbers("softening").at(0),
                                                  given.numbers("timestep").at(0), given.integer("steps"));
                        const double made = milliseconds(m.construction.rest), reused = milliseconds(m.reusing.rest);
                        table.row({text("%zu, %s, %u, %g", size, method.c_str(), reuse, growth),
                                   text("%.1f", milliseconds(m.construction.total)), text("%.1f", made),
                                   text("%.1f", milliseconds(m.reusing.total)), text("%.1f", reused),
                                   text("%.2f", reused / made),
                                   text("%llu", static_cast<unsigned long long>(m.use.constructions)),
                                   text("%llu", static_cast<unsigned long long>(m.use.early)),
                                   text("%llu", static_cast<unsigned long long>(m.use.reuses)),
                                   text("%.2e", m.energy_error)});
                    }
    });
}
