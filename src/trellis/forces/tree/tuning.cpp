// Group and leaf size of a tree force, found by trial.
#include <algorithm>
#include <bit>
#include <chrono>
#include <string>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/base/isa.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/tree/tree_force.hpp"

namespace trellis {

// Everything that the best sizes depend on.
std::string TreeForce::tuning_key(const ParticleSet& particles) const {
    std::string where;
    for (const auto& device : devices_.all())
        where += (where.empty() ? "" : ", ") + device->name() + " (" + device->description() + ")";
    if (devices_.none())
        where = "host (" + std::string(isa_name(chosen_isa())) + ", " + std::to_string(thread_count()) + " threads)";
    return where + ", " + interaction_.kernels.name + ", 2^" + std::to_string(std::bit_width(particles.size())) +
           " particles, " + (choice_.opening.receiver == Receiver::cell ? "fmm" : "tree") + " order " +
           std::to_string(choice_.opening.order) + ", theta " + to_text(choice_.opening.theta) + ", tolerance " +
           to_text(choice_.tolerance) + ", precision " + std::to_string(static_cast<int>(settings_.precision)) +
           ", reuse " + std::to_string(choice_.reuse_steps) + ", send " +
           std::to_string(static_cast<int>(settings_.send));
}

void TreeForce::tune(const ParticleSet& particles, std::span<const double> tolerance) {
    to_be_tuned_ = false;
    const std::string key = tuning_key(particles);
    Sizes found = cached_sizes(key);
    if (found.group == 0) {
        found = fastest_sizes(sizes(), [&](Sizes tried) { return seconds_of_step(particles, tolerance, tried); });
        cache_sizes(key, found);
    }
    choice_.group_size = found.group;
    choice_.leaf_size = found.leaf;
    listed_ = make_listed(found);
    evaluation_ = make_evaluation();
    set_images();
}

// The mean time of a construction step and the reusing steps that follow it; the results are discarded.
double TreeForce::seconds_of_step(const ParticleSet& particles, std::span<const double> tolerance, Sizes sizes) const {
    constexpr int tries = 2;  // the first also allocates memory
    ListedTree listed = make_listed(sizes);
    const auto evaluation = make_evaluation();
    Imports nothing(settings_.let, choice_.digits, keeps_lists());  // this rank is timed alone
    const std::size_t components = components_of(results());
    std::vector<double> unwanted(particles.size() * components);
    std::vector<ResultComponent> columns;
    columns.reserve(components);
    for (std::size_t c = 0; c < components; ++c) columns.push_back({unwanted.data() + c * particles.size(), 1});
    Phases phases;
    const auto best_of = [&](const auto& step) {
        double best = 0;
        for (int k = 0; k < tries; ++k) {
            const auto start = std::chrono::steady_clock::now();
            step();
            evaluation->retrieve(listed, nothing, columns, phases);
            const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            best = k == 0 ? spent : std::min(best, spent);
        }
        return best;
    };
    const double made = best_of([&] {
        listed.build(particles, Position::name, tolerance, phases, predictions_);
        evaluation->construct(listed, nothing, phases);
    });
    if (!keeps_lists()) return made;
    const double reused = best_of([&] {
        listed.refresh(particles, phases, predictions_);
        evaluation->reuse(listed, nothing, choice_.opening_growth, phases);
    });
    return (made + (choice_.reuse_steps - 1) * reused) / choice_.reuse_steps;
}

}  // namespace trellis
