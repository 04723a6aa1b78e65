#include "trellis/forces/gravity/gravity_with_tides.hpp"

#include <cmath>
#include <utility>

#include "trellis/forces/allowed_steps.hpp"
#include "trellis/forces/components.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/gravity/tides.hpp"
#include "trellis/forces/tree/tree_force.hpp"

namespace trellis {

using namespace fields;

namespace {

// Images beyond the nearest have tides that do not count.
class NearestImagesAlone final : public PeriodicComplement {
  public:
    NearestImagesAlone(InteractionKernels kernels, std::shared_ptr<const Tides> tides)
        : kernels_(std::move(kernels)), tides_(std::move(tides)) {}

    void check(const Region&, double) const override {}
    void gather(ParticleSet&, const Ranks*, Phases&) override {}
    ReferenceForces forces(Phases&) override { return {}; }
    void add(ParticleSet&, Phases&) override {}
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double* values) const override {
        kernels_.reference(tides_.get(), sources, targets, row, self, values);
    }

  private:
    InteractionKernels kernels_;
    std::shared_ptr<const Tides> tides_;
};

std::unique_ptr<Force> tidal_field(double softening, double G) {
    InteractionKernels kernels = TRELLIS_VARIANT(tides_kernels)();
    const auto tides = std::make_shared<const Tides>(Tides{{softening * softening}, G});
    auto alone = std::make_shared<NearestImagesAlone>(kernels, tides);
    const ForceSettings settings{.theta = 0.8, .method = Method::tree, .order = 1};
    return std::make_unique<TreeForce>(std::move(kernels), tides, 1.0, settings, Devices(), std::move(alone));
}

double step_of(const Vec3<double>& diagonal, const Vec3<double>& beside) {
    return std::sqrt(2 * eta_of_limits * std::sqrt(6 / (dot(diagonal, diagonal) + 2 * dot(beside, beside))));
}

}  // namespace

GravityWithTides::GravityWithTides(std::unique_ptr<Force> gravity, double softening, double G)
    : gravity_(std::move(gravity)), tides_(tidal_field(softening, G)) {
    for (const Force* each : {gravity_.get(), tides_.get()})
        results_.insert(results_.end(), each->results().begin(), each->results().end());
}

void GravityWithTides::attach(ParticleSet& particles, std::size_t number) {
    gravity_->attach(particles, number);
    tides_->attach(particles, number);
}

void GravityWithTides::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    gravity_->dispatch(particles, step, phases);
    ForceStep now = step;
    now.may_reuse = false;
    tides_->dispatch(particles, now, phases);
}

Work GravityWithTides::retrieve(ParticleSet& particles, Phases& phases) {
    Work work = gravity_->retrieve(particles, phases);
    return work += tides_->retrieve(particles, phases);
}

void GravityWithTides::allowed_steps(const ParticleSet& particles, double /*time*/, const ActiveRows& rows,
                                     std::span<double> steps) const {
    const auto diagonal = particles[tides_diagonal], beside = particles[tides_beside];
    lower_steps(rows, steps, [&](std::uint32_t row) { return step_of(diagonal[row], beside[row]); });
}

void GravityWithTides::reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row,
                                 std::int64_t self, double time, double* values) const {
    gravity_->reference(sources, targets, row, self, time, values);
    tides_->reference(sources, targets, row, self, time, values + components_of(gravity_->results()));
}

}  // namespace trellis
