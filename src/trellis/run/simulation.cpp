#include "trellis/run/simulation.hpp"

#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/integrate/leapfrog.hpp"
#include "trellis/tree/tree.hpp"

namespace trellis {

namespace {

// Rows near in space are kept near in memory. Particles mix slowly, so this need not be done at every step; that it
// depends on the step's number alone keeps a resumed run the same bit for bit.
constexpr std::uint64_t steps_between_row_sorts = 64;

}  // namespace

Simulation::Simulation(std::shared_ptr<ParticleSet> particles, double timestep)
    : particles_(std::move(particles)), timestep_(timestep) {
    if (!(timestep > 0 && std::isfinite(timestep)))
        throw InputError("timestep is " + to_text(timestep) + ": allowed is above 0");
}

void Simulation::add_force(std::shared_ptr<Force> force) {
    for (const FieldInfo& field : force->results())
        if (!particles_->has(field.name)) particles_->add(field);
    forces_.push_back(std::move(force));
    forces_known_ = false;
}

void Simulation::resume(double time, std::uint64_t step_count) {
    time_ = time;
    step_count_ = step_count;
    forces_known_ = true;
}

void Simulation::step() {
    ensure_forces();
    phases_.reset();
    {
        const PhaseTimer timer(phases_, Phase::integration);
        kick(*particles_, 0.5 * timestep_);
        drift(*particles_, timestep_);
    }
    ++step_count_;
    compute_forces();
    const PhaseTimer timer(phases_, Phase::integration);
    kick(*particles_, 0.5 * timestep_);
    time_ += timestep_;
}

void Simulation::run_until(double end) {
    while (time_ < end - 1e-9 * timestep_) step();
}

void Simulation::ensure_forces() {
    if (!forces_known_) compute_forces();
}

void Simulation::compute_forces() {
    if (step_count_ % steps_between_row_sorts == 0) sort_rows();
    bool needs_previous = false;
    for (const auto& force : forces_) needs_previous = needs_previous || force->uses_previous_acceleration();
    // A criterion relative to the last acceleration has none to go by at first: then a rough force comes before.
    const int passes = needs_previous && !forces_known_ ? 2 : 1;
    for (int pass = 0; pass < passes; ++pass) {
        const bool have_previous = needs_previous && (forces_known_ || pass > 0);
        previous_.resize(have_previous ? particles_->size() : 0);
        const auto a = (*particles_)[acceleration];
        parallel_for(previous_.size(), [&](std::size_t k) { previous_[k] = std::sqrt(dot(a[k], a[k])); });
        clear_results();
        work_ = {};
        for (const auto& force : forces_) work_ += force->add(*particles_, previous_, phases_);
    }
    forces_known_ = true;
}

void Simulation::clear_results() {
    for (const auto& force : forces_)
        for (const FieldInfo& field : force->results()) {
            double* values = particles_->column(field.name).values();
            parallel_for(particles_->size() * field.components, [&](std::size_t k) { values[k] = 0; });
        }
}

void Simulation::sort_rows() {
    const PhaseTimer timer(phases_, Phase::reorder_particles);
    particles_->check_finite(Position::name);
    Tree tree;
    Phases counted_as_reordering;
    tree.build((*particles_)[position], static_cast<std::uint32_t>(particles_->size()), counted_as_reordering);
    particles_->permute(tree.order());
}

ForceError Simulation::force_error(std::size_t count, std::uint64_t seed) {
    ensure_forces();
    return measure_force_error(*particles_, forces_, count, seed);
}

}  // namespace trellis
