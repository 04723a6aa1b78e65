#include "python_expansion_checks.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "python_gravity.hpp"
#include "trellis/devices/remote/open.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/run_time/run_time_force.hpp"
#include "trellis/run/simulation.hpp"

using namespace trellis;
using namespace trellis::fields;

namespace {

constexpr double softening_length = 0.1;

// Its functions for the host are not there: a device needs the graphs alone.
std::shared_ptr<const RunTimePair> potential_in_python() {
    const auto bytes = [](const auto& graph) {
        const auto all = std::as_bytes(std::span(graph));
        return std::vector<std::byte>(all.begin(), all.end());
    };
    auto pair = std::make_shared<RunTimePair>();
    pair->name = pair->kernel_name = "python_potential";
    pair->fields = {field_info<Position>(), field_info<Mass>()};
    pair->source_components = 4;
    pair->target_components = {0, 1, 2};
    pair->outcome = {field_info<Acceleration>(), field_info<Potential>()};
    pair->summed = 4;
    pair->strength = 3;
    pair->parameters = {softening_length * softening_length};
    pair->graph = bytes(python_gravity::softened);
    pair->far_graph = bytes(python_gravity::derivatives);
    pair->radial = [](const void*, const double*, const double*, double*) {};
    return pair;
}

// Acceleration and potential of a ball, whose particles all have other masses.
std::vector<double> results_of(std::size_t size, Force& force) {
    ParticleSet particles(size);
    std::mt19937_64 random(1);
    std::normal_distribution<double> gauss;
    for (auto& x : particles[position]) x = {gauss(random) + 1e3, gauss(random), gauss(random)};
    for (std::size_t row = 0; auto& m : particles[mass])
        m = static_cast<double>(++row % 7 + 1) / static_cast<double>(size);
    Phases phases;
    force.attach(particles, 0);
    force.dispatch(particles, {}, phases);
    force.retrieve(particles, phases);
    std::vector<double> all;
    for (const auto& a : particles[acceleration]) all.insert(all.end(), {a.x, a.y, a.z});
    all.insert(all.end(), particles[fields::potential].begin(), particles[fields::potential].end());
    return all;
}

// The largest difference over the largest value of b.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
    double apart = 0, largest = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const double d = std::abs(a[k] - b[k]);
        apart = d <= apart ? apart : d;  // NaN stays
        largest = std::max(largest, std::abs(b[k]));
    }
    return apart / largest;
}

}  // namespace

void check_python_expansions(Checks& checks, const std::string& name, bool small) {
    const auto device = open_device(name);
    if (!compiles_texts(*device) && name != "cpu") return;
    const std::size_t size = small ? 3000 : 100'000;
    for (const Precision precision : {Precision::single_, Precision::double_})
        for (const auto& [method, order] :
             {std::pair{Method::tree, 2}, {Method::fmm, 2}, {Method::fmm, 3}, {Method::fmm, 4}, {Method::fmm, 5}}) {
            const ForceSettings settings{
                .theta = 0.6, .method = method, .order = order, .group_size = 64, .precision = precision};
            const auto there = run_time_tree_force(potential_in_python(), settings, device);
            const auto here = gravity(softening_length, 1, settings, {});
            const double apart = difference(results_of(size, *there), results_of(size, *here));
            checks.that(apart <= (precision == Precision::single_ ? 3e-6 : 1e-12),
                        std::string(method == Method::tree ? "tree" : "fmm") + " of order " + std::to_string(order) +
                            (precision == Precision::single_ ? ", single" : ", double") + ", a potential in Python",
                        "largest difference from gravity on the host " + std::to_string(1e6 * apart) + "e-6");
        }
}
