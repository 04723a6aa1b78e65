// Loss of accuracy by single precision, with positions relative to groups: against N, and far from the origin.
#include <cmath>

#include "shared/models.hpp"
#include "shared/options.hpp"
#include "shared/report.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/run/simulation.hpp"

using namespace bench;

namespace {

struct Result {
    std::vector<Vec3<double>> accelerations;  // by identity
    double rms;                               // RMS error against direct summation
};

Result run_once(std::size_t size, double offset, const std::string& device, double theta, trellis::Precision precision,
                std::size_t checks) {
    const auto particles = model("plummer", size);
    for (auto& x : (*particles)[trellis::fields::position]) x += Vec3<double>{offset, offset, offset};
    trellis::Simulation sim(particles, 1e-3);
    const trellis::ForceSettings settings{
        .theta = theta, .method = trellis::Method::tree, .order = 1, .precision = precision};
    sim.add_force(trellis::gravity(softening, 1, settings, device == "host" ? nullptr : trellis::open_device(device)));
    sim.compute_forces();
    Result result{std::vector<Vec3<double>>(size), sim.force_error(checks, 7).rms};
    for (std::size_t row = 0; row < size; ++row)
        result.accelerations[(*particles)[trellis::fields::id][row]] = (*particles)[trellis::fields::acceleration][row];
    return result;
}

// RMS over the particles of |a - b| / |b|.
double relative_difference(const Result& a, const Result& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.accelerations.size(); ++k) {
        const Vec3<double> apart = a.accelerations[k] - b.accelerations[k];
        sum += dot(apart, apart) / dot(b.accelerations[k], b.accelerations[k]);
    }
    return std::sqrt(sum / static_cast<double>(a.accelerations.size()));
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Option> options = {
        {"device", "host,cpu", "the host, or a device"},
        {"log2", "12,14,16,18", "logarithms of N"},
        {"offset", "0,1e4", "distance from the origin, in scale radii, along each axis"},
        {"theta", "0.4", "opening angle"},
        {"check", "500", "particles compared with direct summation"}};
    return run(argc, argv, options, [](const Options& given) {
        print_header(
            "Precision",
            "Plummer sphere, tree code with monopoles. RMS relative errors of the acceleration: against direct "
            "summation in double precision, and of single against double precision kernels with the same lists.");
        const Table table(
            {"where, N, offset", "single against direct", "double against direct", "single against double"});
        for (const std::string& device : given.texts("device"))
            for (const auto log2 : given.integers<std::size_t>("log2"))
                for (const double offset : given.numbers("offset")) {
                    const auto result = [&](trellis::Precision precision) {
                        return run_once(std::size_t{1} << log2, offset, device, given.numbers("theta").at(0), precision,
                                        given.integer("check"));
                    };
                    const Result single = result(trellis::Precision::single_),
                                 full = result(trellis::Precision::double_);
                    table.row({text("%s, 2^%zu, %g", device.c_str(), log2, offset), text("%.3e", single.rms),
                               text("%.3e", full.rms), text("%.1e", relative_difference(single, full))});
                }
    });
}
