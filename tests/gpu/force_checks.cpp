#include "force_checks.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/gravity/tidal_limit.hpp"
#include "trellis/forces/gravity/tides.hpp"
#include "trellis/run/simulation.hpp"

using namespace trellis;
using namespace trellis::fields;

namespace {

constexpr double one_softening = 0.01;
enum class Softenings { same, differ };
using Accelerations = std::vector<Vec3<double>>;

std::shared_ptr<ParticleSet> ball(std::size_t size, double offset) {
    auto particles = std::make_shared<ParticleSet>(size);
    std::mt19937_64 random(1);
    std::normal_distribution<double> gauss;
    for (auto& x : (*particles)[position]) x = {gauss(random) + offset, gauss(random) - offset, gauss(random)};
    for (auto& m : (*particles)[mass]) m = 1.0 / static_cast<double>(size);
    for (std::size_t row = 0; auto& e : particles->add(fields::softening)) e = ++row % 3 == 0 ? 0.1 : one_softening;
    return particles;
}

struct Result {
    Accelerations accelerations;  // by identity
    double rms;                   // RMS error against the direct sum
    ListUse use;
};

// The accelerations after three short steps.
Result run(std::size_t size, double offset, const ForceSettings& settings, const std::shared_ptr<Device>& device,
           Softenings softenings = Softenings::same) {
    const auto particles = ball(size, offset);
    Simulation sim(particles, 1e-3);
    const std::shared_ptr<ForceByTree> force = softenings == Softenings::same
                                                   ? gravity(one_softening, 1, settings, device)
                                                   : gravity(SofteningOfEach{}, 1, settings, device);
    sim.add_force(force);
    for (int step = 0; step < 3; ++step) sim.step();
    Result result{Accelerations(size), sim.force_error(200, 1).rms, force->list_use()};
    for (std::size_t row = 0; row < size; ++row)
        result.accelerations[(*particles)[id][row]] = (*particles)[acceleration][row];
    return result;
}

// The largest difference over the largest acceleration of b.
double difference(const Accelerations& a, const Accelerations& b) {
    const auto norm = [](const Vec3<double>& v) { return std::sqrt(dot(v, v)); };
    double apart = 0, largest = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        apart = std::max(apart, norm(a[k] - b[k]));
        largest = std::max(largest, norm(b[k]));
    }
    return apart / largest;
}

// Methods with expansions, against the host, and the accuracy asked for.
void check_expansions(Checks& checks, const std::string& name, std::size_t size, Softenings softenings) {
    const std::string what = softenings == Softenings::same ? "" : ", softenings that differ";
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const auto& [method, order] :
             {std::pair{Method::tree, 2}, {Method::fmm, 2}, {Method::fmm, 3}, {Method::fmm, 4}, {Method::fmm, 5}}) {
            const ForceSettings settings{
                .theta = 0.6, .method = method, .order = order, .group_size = 64, .precision = precision};
            const Result device = run(size, 1e4, settings, open_device(name), softenings);
            const double apart =
                difference(device.accelerations, run(size, 1e4, settings, nullptr, softenings).accelerations);
            checks.that(apart <= (precision == Precision::single_ ? 3e-5 : 1e-11),
                        std::string(method == Method::tree ? "tree" : "fmm") + " of order " + std::to_string(order) +
                            (precision == Precision::single_ ? ", single" : ", double") + what,
                        "largest difference from the host " + std::to_string(1e6 * apart) + "e-6");
        }
    for (const double accuracy : {1e-2, 1e-3, 1e-4, 1e-5}) {
        const Result fmm = run(size, 0, {.accuracy = accuracy, .method = Method::fmm}, open_device(name), softenings);
        checks.that(fmm.rms <= accuracy, "fmm of accuracy " + to_text(accuracy) + what,
                    "RMS error " + to_text(fmm.rms));
    }
}

// The tidal tensors of a ball whose lengths are multiplied by a scale.
std::vector<Vec3<double>> tides_of(std::size_t size, double scale, Softenings softenings, const Devices& devices) {
    const auto particles = ball(size, 0);
    for (auto& x : (*particles)[position]) x = scale * x;
    for (auto& e : (*particles)[fields::softening]) e *= scale;
    const GravitySoftening softening = softenings == Softenings::same
                                           ? GravitySoftening(ComovingSoftening{scale * one_softening})
                                           : GravitySoftening(SofteningOfEach{});
    const auto limit = tidal_limit(softening, 1, devices);
    Phases phases;
    limit->attach(*particles, 0);
    limit->dispatch(*particles, {}, phases);
    limit->retrieve(*particles, phases);
    const auto diagonal = (*particles)[tides_diagonal], beside = (*particles)[tides_beside];
    std::vector<Vec3<double>> all(diagonal.begin(), diagonal.end());
    all.insert(all.end(), beside.begin(), beside.end());
    return all;
}

// Few particles are one group, all of whose pairs are summed; groups of many may be others than on the host. A scale
// beyond single precision is computed in double precision.
void check_tides(Checks& checks, const std::string& name, std::size_t size) {
    for (const double scale : {1.0, 1e25})
        for (const Softenings softenings : {Softenings::same, Softenings::differ})
            for (const std::size_t count : {std::size_t{60}, size}) {
                const double apart = difference(tides_of(count, scale, softenings, open_device(name)),
                                                tides_of(count, scale, softenings, {}));
                const double rounding = scale == 1 ? 3e-5 : 1e-12;
                checks.that(apart <= (count == size ? 1e-3 : rounding),
                            "tides of " + std::to_string(count) + (scale == 1 ? ", single" : ", double") +
                                (softenings == Softenings::same ? "" : ", softenings that differ"),
                            "largest difference from the host " + std::to_string(1e6 * apart) + "e-6");
            }
}

}  // namespace

void check_forces(Checks& checks, const std::string& name, bool small) {
    const std::size_t size = small ? 3000 : 100000;
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const double offset : {0.0, 1e4}) {
            const std::string where = std::string(precision == Precision::single_ ? "single" : "double") +
                                      (offset > 0 ? ", far from the origin, " : ", ");
            ForceSettings settings{
                .theta = 0.6, .method = Method::tree, .order = 1, .group_size = 128, .precision = precision};
            const Result host = run(size, offset, settings, nullptr);
            const auto check = [&](const char* method, const Result& result) {
                const double apart = difference(result.accelerations, host.accelerations);
                checks.that(apart <= (precision == Precision::single_ ? 3e-5 : 1e-12),
                            where + method + " against the host",
                            "largest difference " + std::to_string(1e6 * apart) + "e-6");
                checks.that(result.rms < 1.01 * host.rms + 1e-6, where + method + " against the direct sum",
                            "RMS error " + std::to_string(1e3 * result.rms) + "e-3");
            };
            settings.send = Send::particles;
            check("G1", run(size, offset, settings, open_device(name)));
            settings.send = Send::indices;
            check("G2", run(size, offset, settings, open_device(name)));
            check("G2 with little memory",
                  run(size, offset, settings, open_device(name, size * (precision == Precision::single_ ? 60 : 120))));
            settings.lists = Lists::reuse;
            const Result reused = run(size, offset, settings, open_device(name));
            check("G3", reused);
            checks.that(reused.use.reuses == 3, where + "lists were reused");
        }
    for (const Softenings softenings : {Softenings::same, Softenings::differ})
        check_expansions(checks, name, size, softenings);
    check_tides(checks, name, size);
}
