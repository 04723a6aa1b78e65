// Tables 1 and 2 of Iwasawa et al. (2020): a step by methods C1 (host), G1 (particles sent), G2 (indices sent), G3
// (lists reused) and ours, G4 (particles stay on the device), phase by phase, on the cold sphere with monopoles; with
// "fmm" in its name, with expansions, as accuracy asks for.

#include <algorithm>
#include <array>
#include <memory>

#include "shared/models.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "shared/spread.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/resident/resident_simulation.hpp"
#include "trellis/run/simulation.hpp"

using namespace bench;
using trellis::phase_names;

namespace {

constexpr double operations = 23;  // operations of one interaction, by the field's convention

struct Measured {
    std::array<double, phase_names.size()> phases;  // medians, seconds
    Spread step;
    trellis::QueueTimes device;  // times in the last step
    double pairs;
    double rms;
};

// The seconds of each step in each phase.
using PhaseSamples = std::array<std::vector<double>, phase_names.size()>;

void add(PhaseSamples& samples, const trellis::Phases& phases) {
    for (std::size_t p = 0; p < samples.size(); ++p)
        samples[p].push_back(phases.seconds(static_cast<trellis::Phase>(p)));
}

std::array<double, phase_names.size()> medians(const PhaseSamples& samples) {
    std::array<double, phase_names.size()> result{};
    for (std::size_t p = 0; p < samples.size(); ++p) result[p] = spread(samples[p]).median;
    return result;
}

Measured measure(const std::string& device, std::size_t size, const trellis::ForceSettings& settings, std::size_t steps,
                 std::size_t checks) {
    trellis::Simulation sim(model("sphere", size), 1e-6);
    const std::shared_ptr<trellis::ForceByTree> force =
        trellis::gravity(softening, 1, settings, device == "host" ? nullptr : trellis::open_device(device));
    sim.add_force(force);
    const int warming =
        device == "host" || settings.lists == trellis::Lists::reuse ? 2 : 7;  // the number of batches is found by then
    for (int k = 0; k < warming; ++k) sim.step();
    std::vector<double> seconds_of_steps;
    PhaseSamples phases;
    for (std::size_t k = 0; k < steps; ++k) {
        seconds_of_steps.push_back(seconds([&] { sim.step(); }));
        add(phases, sim.phases());
    }
    Measured result{medians(phases), spread(seconds_of_steps), {}, static_cast<double>(sim.work().pairs), 0};
    if (force->device_use() != nullptr) result.device = force->device_use()->times;
    result.rms = sim.force_error(checks, 7).rms;
    return result;
}

// As above, for method G4. A step ends when the device has finished it.
Measured measure_resident(const std::string& device, std::size_t size, const trellis::ForceSettings& settings,
                          std::size_t steps, std::size_t checks) {
    const auto particles = model("sphere", size);
    trellis::ResidentSimulation sim(*particles, softening, 1, settings, 1e-6, trellis::open_device(device));
    for (int warming = 0; warming < 2; ++warming) sim.step();
    sim.phases();  // waits for the device
    std::vector<double> seconds_of_steps;
    PhaseSamples phases;
    for (std::size_t k = 0; k < steps; ++k) {
        seconds_of_steps.push_back(seconds([&] {
            sim.step();
            sim.phases();
        }));
        add(phases, sim.phases());
    }
    const trellis::QueueTimes times = sim.device_times();
    sim.download(*particles);
    trellis::Simulation compared(particles, 1);
    compared.add_force(trellis::gravity(softening, 1, settings, trellis::open_device(device)));
    compared.resume(sim.time(), sim.step_count());
    return {medians(phases), spread(seconds_of_steps), times, static_cast<double>(sim.work().pairs),
            compared.force_error(checks, 7).rms};
}

// Methods that reuse lists are timed in steps without constructions.
trellis::ForceSettings settings_of(const std::string& method, const Options& given) {
    trellis::ForceSettings settings{.leaf_size = static_cast<std::uint32_t>(given.integer("leaf")),
                                    .reuse_steps = 1000000};
    settings.send = method == "G1" ? trellis::Send::particles : trellis::Send::indices;
    if (method.find("reusing") != std::string::npos) settings.lists = trellis::Lists::reuse;
    const bool expansions = method.find("fmm") != std::string::npos;
    settings.method = expansions ? trellis::Method::fmm : trellis::Method::tree;
    settings.order = expansions ? 0 : 1;
    settings.accuracy = given.numbers("accuracy").at(0);
    return settings;
}

void print(const std::string& heading, const std::vector<std::string>& methods, const std::vector<Measured>& measured) {
    std::printf("\n### %s\n", heading.c_str());
    std::vector<std::string> titles = {"milliseconds"};
    titles.insert(titles.end(), methods.begin(), methods.end());
    const Table table(titles);
    const auto row = [&](const std::string& name, const auto& value) {
        std::vector<std::string> values = {name};
        for (const Measured& m : measured) values.push_back(value(m));
        table.row(values);
    };
    for (std::size_t p = 0; p < phase_names.size(); ++p)
        if (std::ranges::any_of(measured, [&](const Measured& m) { return m.phases[p] > 0; }))
            row(std::string(phase_names[p]), [&](const Measured& m) { return text("%.1f", 1e3 * m.phases[p]); });
    row("Total", [](const Measured& m) { return text("%.1f", 1e3 * m.step.median); });
    row("lowest", [](const Measured& m) { return text("%.1f", 1e3 * m.step.low); });
    row("highest", [](const Measured& m) { return text("%.1f", 1e3 * m.step.high); });
    row("Device: H2D", [](const Measured& m) { return text("(%.1f)", 1e3 * m.device.upload); });
    row("Device: kernels", [](const Measured& m) { return text("(%.1f)", 1e3 * m.device.kernel); });
    row("Device: D2H", [](const Measured& m) { return text("(%.1f)", 1e3 * m.device.download); });
    row("Device: MB sent",
        [](const Measured& m) { return text("%.0f", static_cast<double>(m.device.bytes_up) / 1e6); });
    row("Device: MB received",
        [](const Measured& m) { return text("%.0f", static_cast<double>(m.device.bytes_down) / 1e6); });
    row("Gflop/s, whole step",
        [](const Measured& m) { return text("%.0f", operations * m.pairs / m.step.median / 1e9); });
    row("RMS force error", [](const Measured& m) { return text("%.1e", m.rms); });
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {
        {"device", "cpu", "device of G1 to G4"},
        {"particles", "1048576", "numbers of particles"},
        {"theta", "0.5", "opening angles of monopoles"},
        {"accuracy", "1e-3", "of methods with fmm in their names"},
        {"group", "256", "group sizes (n_grp)"},
        {"leaf", "16", "leaf size (n_leaf)"},
        {"methods", "C1,C1 reusing,G1,G2,G3 reusing,G4,G4 reusing", "methods to measure"},
        {"check", "500", "particles compared with direct summation"},
        {"steps", "5", "steps timed"}};
    return run(argc, argv, options, [](const Options& given) {
        const std::string device = given.texts("device").at(0);
        print_header(
            "Methods C1 to G4, on device " + device,
            "Phases as in Table 2 of Iwasawa et al. (2020), medians. What a device does at the same time stands in "
            "parentheses; the force kernel is what the host still waits for. Of G4 the phases are those of the "
            "device's "
            "kernels. On the device cpu, host and device share the cores.");
        for (const auto size : given.integers<std::size_t>("particles"))
            for (const double theta : given.numbers("theta"))
                for (const auto group : given.integers<std::uint32_t>("group")) {
                    std::vector<Measured> measured;
                    for (const std::string& method : given.texts("methods")) {
                        trellis::ForceSettings settings = settings_of(method, given);
                        if (settings.method == trellis::Method::tree) settings.theta = theta;
                        settings.group_size = group;
                        const auto steps = given.integer("steps"), checks = given.integer("check");
                        measured.push_back(
                            method.starts_with("G4")
                                ? measure_resident(device, size, settings, steps, checks)
                                : measure(method.front() == 'C' ? "host" : device, size, settings, steps, checks));
                    }
                    print(text("N = %zu, theta = %g (fmm: accuracy %g), n_grp = %u", size, theta,
                               given.numbers("accuracy").at(0), group),
                          given.texts("methods"), measured);
                }
    });
}
