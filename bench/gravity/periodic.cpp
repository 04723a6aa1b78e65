// Gravity in a periodic cube, by all images and by a mesh and a tree: error and processor time of a force, by turns.
#include <algorithm>
#include <ctime>

#include "shared/cube.hpp"
#include "shared/models.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_gravity.hpp"

using namespace bench;
using trellis::ParticleSet;
using trellis::Phase;
using namespace trellis::fields;

namespace {

struct OneForce {
    double seconds;  // processor time
    double of_mesh;  // share of the mesh's phases in them
    trellis::Work work;
};

OneForce compute(trellis::Force& force, ParticleSet& particles, const std::vector<double>& previous) {
    for (auto& a : particles[acceleration]) a = {0, 0, 0};
    std::ranges::fill(particles[potential], 0);
    trellis::Phases phases;
    const std::clock_t begin = std::clock();
    force.dispatch(particles, {previous}, phases);
    const trellis::Work work = force.retrieve(particles, phases);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    double all = 0, mesh = 0;
    for (int p = 0; p < static_cast<int>(Phase::count); ++p) all += phases.seconds(static_cast<Phase>(p));
    for (const Phase p : {Phase::assign_density, Phase::exchange_mesh, Phase::transform_mesh, Phase::differentiate_mesh,
                          Phase::interpolate_field})
        mesh += phases.seconds(p);
    return {seconds, mesh / all, work};
}

std::vector<double> sizes_of(const ParticleSet& particles) {
    std::vector<double> sizes;
    for (const auto& a : particles[acceleration]) sizes.push_back(std::sqrt(dot(a, a)));
    return sizes;
}

// Root mean square of the error over that of the net force.
double error_of(const trellis::Force& force, const ParticleSet& particles, std::size_t checks) {
    double wrong = 0, net = 0;
    for (std::size_t row = 0; row < particles.size(); row += particles.size() / checks) {
        double exact[4];
        force.reference(particles, particles, static_cast<std::uint32_t>(row), static_cast<std::int64_t>(row), 0,
                        exact);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            wrong += std::pow(particles[acceleration][row][axis] - exact[axis], 2);
            net += exact[axis] * exact[axis];
        }
    }
    return std::sqrt(wrong / net);
}

void measure(const Options& given, const Table& table, const std::string& name, double accuracy) {
    const std::size_t along = given.integer("along");
    const double softening = 0.04 / static_cast<double>(along);
    ParticleSet particles = in_cube(name, along);
    const std::unique_ptr<trellis::ForceByTree> forces[] = {
        trellis::gravity(softening, 1, {.accuracy = accuracy}),
        trellis::tree_mesh_gravity(softening, 1, {.accuracy = accuracy})};
    for (const auto& force : forces) force->attach(particles, 0);
    std::vector<double> previous;
    for (int pass = 0; pass < 2; ++pass) {  // the first step has no previous acceleration
        compute(*forces[0], particles, previous);
        previous = sizes_of(particles);
    }
    std::vector<OneForce> best(2, {1e9, 0, {}});
    std::vector<double> errors(2);
    for (std::size_t round = 0; round < given.integer("rounds"); ++round)
        for (std::size_t way = 0; way < 2; ++way) {
            const OneForce one = compute(*forces[way], particles, previous);
            if (one.seconds < best[way].seconds) best[way] = one;
            if (round == 0) errors[way] = error_of(*forces[0], particles, given.integer("check"));
        }
    const auto count = static_cast<double>(particles.size());
    for (std::size_t way = 0; way < 2; ++way)
        table.row({name, text("%g", accuracy), way == 0 ? "fmm" : "treepm", text("%.3f", best[way].seconds),
                   text("%.2f", best[way].of_mesh), text("%.2e", errors[way]),
                   text("%.0f", static_cast<double>(best[way].work.pairs) / count),
                   text("%.2f", static_cast<double>(best[way].work.expansions) / count)});
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"model", "random,clustered,grid", "initial conditions"},
                                         {"along", "32", "particles along a side"},
                                         {"accuracy", "1e-2,1e-3,1e-4", "requested accuracies"},
                                         {"rounds", "3", "forces by each method, by turns; the fastest counts"},
                                         {"check", "60", "number of particles compared with Ewald's sum"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Gravity in a periodic cube",
                     "Processor seconds of a force on one thread, tree and lists included; the mesh's share of them; "
                     "RMS error over RMS net force, against Ewald's sum.");
        trellis::set_thread_count(1);
        const Table table({"model", "accuracy", "method", "CPU s", "mesh", "error", "pairs/N", "expansions/N"});
        for (const std::string& name : given.texts("model"))
            for (const double accuracy : given.numbers("accuracy")) measure(given, table, name, accuracy);
    });
}
