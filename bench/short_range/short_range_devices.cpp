// Short-range forces on the host and on devices: seconds a step, and pairs a second of the kernels.
#include <chrono>
#include <functional>
#include <memory>

#include "shared/boxes.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "shared/spread.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/molecules/lennard_jones_force.hpp"
#include "trellis/forces/sph/sph_force.hpp"
#include "trellis/forces/tree/evaluator.hpp"
#include "trellis/run/simulation.hpp"

using namespace bench;

namespace {

using MakeForce = std::function<std::shared_ptr<trellis::Force>(const trellis::ShortRangeSettings&)>;

std::vector<std::string> row_of(const std::string& what, const std::string& device,
                                std::shared_ptr<trellis::ParticleSet> particles, double timestep, const MakeForce& make,
                                std::size_t steps) {
    trellis::ShortRangeSettings settings;
    if (device != "host") settings.device = trellis::open_device(device);
    trellis::Simulation sim(particles, timestep);
    const auto force = make(settings);
    sim.add_force(force);
    for (int warm_up = 0; warm_up < 3; ++warm_up) sim.step();
    std::vector<double> construction, reusing, kernel, transfer, pairs;
    for (std::size_t k = 0; k < steps; ++k) {
        const std::uint64_t reuses = force->list_use().reuses;
        const auto start = std::chrono::steady_clock::now();
        sim.step();
        const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        (force->list_use().reuses > reuses ? reusing : construction).push_back(taken);
        const trellis::DeviceUse* use = force->device_use();
        kernel.push_back(use != nullptr ? use->times.kernel : sim.phases().seconds(trellis::Phase::force_kernel));
        transfer.push_back(use != nullptr ? use->times.upload + use->times.download : 0);
        pairs.push_back(static_cast<double>(sim.work().pairs));
    }
    const auto milliseconds = [](const std::vector<double>& seconds) {
        return seconds.empty() ? std::string("-") : text("%.1f", 1e3 * spread(seconds).median);
    };
    return {text("%s, %zu, %s", what.c_str(), particles->size(), device.c_str()),
            milliseconds(construction),
            milliseconds(reusing),
            milliseconds(kernel),
            milliseconds(transfer),
            text("%.2f", 1e-9 * spread(pairs).median / spread(kernel).median)};
}

std::shared_ptr<trellis::Force> gas_force(const trellis::ShortRangeSettings& search) {
    trellis::SphSettings settings;
    settings.search = search;
    return std::make_shared<trellis::SphForce>(settings);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {{"device", "host,cpu", "host, and devices"},
                                         {"cells", "64", "Lennard-Jones: fcc cells along each side, 4 cells^3 atoms"},
                                         {"side", "102", "gas: particles along each side, side^3 in all"},
                                         {"steps", "34", "steps that are measured"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header("Forces of short range on devices",
                     "Milliseconds of wall-clock time, medians; single precision. Pairs tested, those beyond the reach "
                     "included, over the time of the kernels: a device's own, or that of all threads of the host.");
        const Table table({"particles, where", "construction", "reusing", "kernels", "transfers", "G pairs/s"});
        const std::size_t steps = given.integer("steps");
        for (const std::string& device : given.texts("device")) {
            const auto melt = [](const trellis::ShortRangeSettings& settings) {
                return trellis::lennard_jones(1, 1, 2.5, trellis::Truncation::plain, settings);
            };
            table.row(row_of("Lennard-Jones", device, crystal(given.integer("cells")), 0.005, melt, steps));
            const std::size_t side = given.integer("side");
            table.row(row_of("gas", device, box_of_gas(side), 0.1 / static_cast<double>(side), gas_force, steps));
        }
    });
}
