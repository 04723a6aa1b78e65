// Steps of gravity by a tree with a kernel in C, beside those with the interaction in C++.
#include <algorithm>
#include <cmath>

#include "gravity/in_c/pulls.h"
#include "shared/models.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "shared/spread.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"

namespace {

using namespace bench;

constexpr double timestep = 1e-9;  // particles hardly move

void check(int code) {
    if (code != 0) throw trellis::RunError(trellis_error());
}

// A simulation by the C calls.
struct InC {
    trellis_particles* particles = nullptr;
    trellis_force* force = nullptr;
    trellis_simulation* simulation = nullptr;
    float eps = static_cast<float>(softening);

    InC(const trellis::ParticleSet& like, double theta) {
        double *x = nullptr, *m = nullptr;
        check(trellis_particles_new(static_cast<std::int64_t>(like.size()), &particles));
        check(trellis_column(particles, "position", 3, &x));
        check(trellis_column(particles, "mass", 1, &m));
        std::copy_n(like.column("position").values(), 3 * like.size(), x);
        std::copy_n(like.column("mass").values(), like.size(), m);
        check(trellis_tree_force(particles, "position", "position mass", "acceleration potential", add_pulls, &eps,
                                 theta, 0, 0, &force));
        check(trellis_simulation_new(particles, timestep, &simulation));
        check(trellis_add_force(simulation, force));
    }
    InC(const InC&) = delete;
    InC& operator=(const InC&) = delete;
    ~InC() {
        trellis_simulation_free(simulation);
        trellis_force_free(force);
        trellis_particles_free(particles);
    }
};

void measure(const Table& table, const std::string& name, std::size_t size, double theta, std::size_t rounds) {
    const auto particles = model(name, size);
    const InC in_c(*particles, theta);
    trellis::Simulation in_cpp(particles, timestep);
    const trellis::ForceSettings settings{
        .theta = theta, .method = trellis::Method::tree, .order = 1, .precision = trellis::Precision::single_};
    in_cpp.add_force(trellis::gravity(softening, 1, settings));
    const auto step_in_c = [&] { check(trellis_step(in_c.simulation, 1)); };
    const auto step_in_cpp = [&] { in_cpp.step(); };
    step_in_c();
    step_in_cpp();
    std::vector<double> c, cpp, ratio;
    for (std::size_t round = 0; round < rounds; ++round) {
        c.push_back(seconds(step_in_c));
        cpp.push_back(seconds(step_in_cpp));
        ratio.push_back(cpp.back() / c.back());
    }
    table.row({name, std::to_string(size), text("%g", theta), text("%.3f", spread(c).median),
               text("%.3f", spread(cpp).median), text("%.2f", spread(ratio).low), text("%.2f", spread(ratio).median),
               text("%.2f", spread(ratio).high)});
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"model", "plummer", "initial conditions: sphere or plummer"},
                                         {"particles", "131072", "number of particles"},
                                         {"theta", "0.5", "opening angles"},
                                         {"rounds", "5", "steps of each, by turns"}};
    return run(argc, argv, options, [](const Options& given) {
        trellis::set_thread_count(1);
        check(trellis_set_threads(1));
        print_header("Gravity by a tree with a kernel in C",
                     std::string("Seconds of a step on one thread, and the speed over that of C++. Kernel: ") +
                         pulls_compiler + ".");
        const Table table({"model", "particles", "theta", "C, s", "C++, s", "lowest", "speed", "highest"});
        for (const std::string& name : given.texts("model"))
            for (const std::size_t size : given.integers<std::size_t>("particles"))
                for (const double theta : given.numbers("theta"))
                    measure(table, name, size, theta, given.integer("rounds"));
    });
}
