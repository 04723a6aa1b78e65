// The checksums that show whether particles were changed between two steps: their share of a step. The goal is 1 %.
#include "shared/measured_run.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/run/force_input.hpp"

using namespace bench;

namespace {

// Atoms on a cubic lattice of that spacing, at rest.
std::shared_ptr<trellis::ParticleSet> atoms(std::size_t side, double spacing) {
    auto particles = std::make_shared<trellis::ParticleSet>(side * side * side);
    const double length = spacing * static_cast<double>(side);
    for (std::size_t k = 0; k < particles->size(); ++k) {
        (*particles)[trellis::fields::position][k] =
            spacing * Vec3<double>{0.5 + static_cast<double>(k % side), 0.5 + static_cast<double>(k / side % side),
                                   0.5 + static_cast<double>(k / side / side)};
        (*particles)[trellis::fields::mass][k] = 1;
    }
    particles->set_region({{0, 0, 0}, {length, length, length}});
    return particles;
}

void measure(const Table& table, const std::string& name, const std::shared_ptr<trellis::ParticleSet>& particles,
             std::shared_ptr<trellis::Force> force, int steps) {
    trellis::ForceInput input;
    input.add(*force);
    trellis::Simulation sim(particles, 1e-4);
    sim.add_force(std::move(force));
    sim.step();
    const double of_steps = seconds([&] { sim.run_steps(static_cast<std::uint64_t>(steps)); }) / steps;
    bool changed = false;
    const double of_checksums = seconds([&] {
                                    for (int k = 0; k < steps; ++k) {
                                        input.note(*particles);
                                        changed |= input.changed(*particles);
                                    }
                                }) /
                                steps;
    table.row({name, text("%zu", particles->size()), text("%.2f", 1e6 * of_steps), text("%.2f", 1e6 * of_checksums),
               text("%.2f %%%s", 100 * of_checksums / of_steps, changed ? " (wrong)" : "")});
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"side", "6,16,32", "atoms along a side of the box"},
                                         {"particles", "1024,131072", "particles under gravity"},
                                         {"steps", "200", "steps of atoms; a tenth of them under gravity"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Checksums", "Both checksums of a step, all threads; microseconds.");
        const Table table({"force", "particles", "step", "checksums", "share"});
        const int steps = given.integers<int>("steps").front();
        for (const auto side : given.integers<std::size_t>("side"))
            measure(table, "Lennard-Jones", atoms(side, 1.1),
                    trellis::lennard_jones(1, 1, 2.5, trellis::Truncation::force_shifted), steps);
        for (const auto size : given.integers<std::size_t>("particles"))
            measure(table, "gravity", model("plummer", size), trellis::gravity(softening, 1, {}), steps / 10);
    });
}
