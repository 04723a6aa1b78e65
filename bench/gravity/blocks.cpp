// Cost of dividing the work for particles that do not all fit into the memory of a device at once (paper, section 4.1,
// last paragraph).
#include <algorithm>

#include "shared/models.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "shared/spread.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"

using namespace bench;

namespace {

struct Measured {
    Spread step;
    trellis::DeviceUse use;
    std::vector<Vec3<double>> accelerations;
};

Measured measure(const std::string& device, std::size_t memory, std::size_t size, std::size_t steps) {
    trellis::Simulation sim(model("sphere", size), 1e-6);
    const trellis::ForceSettings settings{.theta = 0.5, .method = trellis::Method::tree, .order = 1, .group_size = 128};
    const std::shared_ptr<trellis::ForceByTree> force =
        trellis::gravity(softening, 1, settings, trellis::open_device(device, memory));
    sim.add_force(force);
    std::vector<double> seconds_of_steps;
    for (std::size_t k = 0; k < 7 + steps; ++k) {  // the first steps try numbers of batches
        const double spent = seconds([&] { sim.step(); });
        if (k >= 7) seconds_of_steps.push_back(spent);
    }
    const auto a = sim.particles()[trellis::fields::acceleration];
    return {spread(seconds_of_steps), *force->device_use(), {a.begin(), a.end()}};
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"device", "cpu", "the device"},
                                         {"particles", "262144", "number of particles"},
                                         {"shares", "2,1,0.5,0.25", "shares of the memory that it would take"},
                                         {"steps", "5", "steps timed"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Little memory", "Cold sphere, monopoles, theta 0.5, n_grp 128, method G2. Seconds a step.");
        const std::string device = given.texts("device").at(0);
        const auto size = given.integer("particles"), steps = given.integer("steps");
        const Measured whole = measure(device, 0, size, steps);
        const Table table({"share of the memory", "MB allowed", "batches", "tables of their own", "median s",
                           "lowest s", "highest s", "same bits"});
        for (const double share : given.numbers("shares")) {
            const auto memory = static_cast<std::size_t>(static_cast<double>(whole.use.bytes) * share);
            const Measured m = measure(device, memory, size, steps);
            table.row({text("%g", share), text("%.1f", static_cast<double>(memory) / 1e6), text("%zu", m.use.batches),
                       m.use.in_blocks ? "yes" : "no", text("%.4f", m.step.median), text("%.4f", m.step.low),
                       text("%.4f", m.step.high),
                       std::ranges::equal(m.accelerations, whole.accelerations) ? "yes" : "NO"});
        }
    });
}
