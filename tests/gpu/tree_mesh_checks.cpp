#include "tree_mesh_checks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/tree_mesh/kernels/charge.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_coulomb.hpp"
#include "trellis/forces/tree_mesh/tree_mesh_gravity.hpp"
#include "trellis/mesh/lines/lines.hpp"
#include "trellis/run/simulation.hpp"

using namespace trellis;
using namespace trellis::fields;

namespace {

using Accelerations = std::vector<Vec3<double>>;
using Make = std::function<std::shared_ptr<Force>(const ForceSettings&, Devices)>;

enum class Places { everywhere, in_the_middle };

// Particles in a box that is no cube, with types and with charges of both signs. Images of those in the middle are
// beyond the cutoff: then a device has the lists of the host.
std::shared_ptr<ParticleSet> in_box(std::size_t size, Places places) {
    auto particles = std::make_shared<ParticleSet>(size);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform;
    const double share = places == Places::everywhere ? 1 : 0.2;
    const auto near_middle = [&] { return 0.5 + share * (uniform(random) - 0.5); };
    for (auto& x : (*particles)[position]) x = {near_middle(), near_middle(), 1.5 * near_middle()};
    for (auto& m : (*particles)[mass]) m = 1.0 / static_cast<double>(size);
    for (auto& q : particles->add(charge)) q = 2 * uniform(random) - 1;
    for (auto& type : particles->add(particle_type)) type = uniform(random) < 0.5 ? 1 : 2;
    particles->set_region({{0, 0, 0}, {1, 1, 1.5}});
    return particles;
}

struct Outcome {
    Accelerations accelerations;  // by identity
    double error;                 // root mean square of errors against Ewald's sum, over that of accelerations
};

// By the accelerations of 40 particles.
double error_of(const Force& force, const ParticleSet& particles) {
    double wrong = 0, squares = 0;
    for (std::uint32_t row = 0; row < particles.size(); row += static_cast<std::uint32_t>(particles.size() / 40)) {
        double exact[5];
        force.reference(particles, particles, row, row, 0, exact);
        const Vec3<double> wanted{exact[0], exact[1], exact[2]}, difference = particles[acceleration][row] - wanted;
        wrong += dot(difference, difference);
        squares += dot(wanted, wanted);
    }
    return std::sqrt(wrong / squares);
}

Outcome after_step(std::size_t size, Places places, const Make& make, const ForceSettings& settings, Devices devices) {
    const auto particles = in_box(size, places);
    Simulation sim(particles, 1e-6);
    const auto force = make(settings, std::move(devices));
    sim.add_force(force);
    sim.step();
    Outcome outcome{Accelerations(size), error_of(*force, *particles)};
    for (std::size_t row = 0; row < size; ++row)
        outcome.accelerations[(*particles)[id][row]] = (*particles)[acceleration][row];
    return outcome;
}

// The largest difference over the largest acceleration of b.
double difference_of(const Accelerations& a, const Accelerations& b) {
    double apart = 0, largest = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const Vec3<double> d = a[k] - b[k];
        apart = std::max(apart, dot(d, d));
        largest = std::max(largest, dot(b[k], b[k]));
    }
    return std::sqrt(apart / largest);
}

void check_kind(Checks& checks, const std::string& name, std::size_t size, const std::string& what, const Make& make) {
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (int order = 2; order <= 5; ++order) {
            const ForceSettings settings{.theta = 0.6, .order = order, .group_size = 64, .precision = precision};
            const Outcome there = after_step(size, Places::in_the_middle, make, settings, open_device(name)),
                          here = after_step(size, Places::in_the_middle, make, settings, {});
            const double apart = difference_of(there.accelerations, here.accelerations);
            checks.that(apart <= (precision == Precision::single_ ? 3e-5 : 1e-11),
                        what + " of order " + std::to_string(order) +
                            (precision == Precision::single_ ? ", single" : ", double"),
                        "largest difference from the host " + std::to_string(1e6 * apart) + "e-6");
        }
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
        const double error =
            after_step(size, Places::everywhere, make, {.accuracy = accuracy}, open_device(name)).error;
        checks.that(error <= accuracy, what + " of accuracy " + to_text(accuracy), "RMS error " + to_text(error));
    }
}

}  // namespace

void check_tree_mesh(Checks& checks, const std::string& name, bool small) {
    if (fourier_library().empty()) return;
    const std::size_t size = small ? 2000 : 30000;
    const double softening = 0.02 / std::cbrt(static_cast<double>(size));
    check_kind(checks, name, size, "TreePM", [=](const ForceSettings& settings, Devices devices) {
        return tree_mesh_gravity(softening, 1, settings, {}, std::move(devices));
    });
    check_kind(checks, name, size, "TreePM between softenings", [=](const ForceSettings& settings, Devices devices) {
        const SofteningOfEach lengths{.by_type = {{"halo", softening}, {"disk", 2 * softening}}};
        return tree_mesh_gravity(lengths, 1, settings, {}, std::move(devices));
    });
    check_kind(checks, name, size, "Coulomb's force", [=](const ForceSettings& settings, Devices devices) {
        return tree_mesh_coulomb(softening, 1, settings, {}, std::move(devices));
    });
}
