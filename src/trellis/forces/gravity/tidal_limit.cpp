#include "trellis/forces/gravity/tidal_limit.hpp"

#include <cmath>
#include <utility>
#include <variant>

#include "trellis/forces/allowed_steps.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/gravity/tides.hpp"
#include "trellis/forces/gravity/tides_pairs.hpp"

namespace trellis {

using namespace fields;

namespace {

constexpr ForceSettings by_superparticles{.theta = 0.8, .method = Method::tree, .order = 1};

// Images beyond the nearest have tides that do not count.
class NearestImagesAlone final : public PeriodicComplement {
  public:
    NearestImagesAlone(InteractionKernels kernels, std::shared_ptr<const void> tides)
        : kernels_(std::move(kernels)), tides_(std::move(tides)) {}

    void check(const Region&, double) const override {}
    void gather(ParticleSet&, const Ranks*, Phases&) override {}
    ReferenceForces forces(Phases&) override { return {}; }
    double strength_of(const ParticleSet&) const override { return 0; }
    ReferenceForces forces_of(const Region&, double, double) const override { return {}; }
    void add(ParticleSet&, Phases&) override {}
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double* values) const override {
        kernels_.reference(tides_.get(), sources, targets, row, self, values);
    }

  private:
    InteractionKernels kernels_;
    std::shared_ptr<const void> tides_;
};

class TidesOfOneSoftening final : public TidalLimit {
  public:
    TidesOfOneSoftening(const ComovingSoftening& softening, const std::shared_ptr<Tides>& tides,
                        const InteractionKernels& kernels, Devices devices)
        : TidalLimit(kernels, tides, 1.0, by_superparticles, std::move(devices),
                     std::make_shared<NearestImagesAlone>(kernels, tides)),
          softening_(softening),
          tides_(tides) {}

    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        const double length = softening_.at(step.time);
        tides_->epsilon2 = {length * length};
        ForceByTree::dispatch(particles, step, phases);
    }

  private:
    ComovingSoftening softening_;
    std::shared_ptr<Tides> tides_;  // the kernels see the softening change
};

class TidesOfSofteningOfEach final : public TidalLimit {
  public:
    TidesOfSofteningOfEach(const SofteningOfEach& softening, const std::shared_ptr<const TidesBetweenSoftenings>& tides,
                           const InteractionKernels& kernels, Devices devices)
        : TidalLimit(kernels, tides, 1.0, by_superparticles, std::move(devices),
                     std::make_shared<NearestImagesAlone>(kernels, tides)),
          softenings_(softening) {}

    void attach(ParticleSet& particles, std::size_t number) override {
        softenings_.attach(particles);
        ForceByTree::attach(particles, number);
    }

    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        softenings_.renew(particles, step.time);
        ForceByTree::dispatch(particles, step, phases);
    }

  private:
    SofteningField softenings_;
};

double step_of(const Vec3<double>& diagonal, const Vec3<double>& beside) {
    return std::sqrt(2 * eta_of_limits * std::sqrt(6 / (dot(diagonal, diagonal) + 2 * dot(beside, beside))));
}

}  // namespace

void TidalLimit::allowed_steps(const ParticleSet& particles, double /*time*/, const ActiveRows& rows, Comm* /*ranks*/,
                               std::span<double> steps) const {
    const auto diagonal = particles[tides_diagonal], beside = particles[tides_beside];
    lower_steps(rows, steps, [&](std::uint32_t row) { return step_of(diagonal[row], beside[row]); });
}

std::unique_ptr<TidalLimit> tidal_limit(const GravitySoftening& softening, double G, const Devices& devices) {
    TRELLIS_CALL_FOR_GPUS(register_tides_pairs());
    if (const auto* one = std::get_if<ComovingSoftening>(&softening))
        return std::make_unique<TidesOfOneSoftening>(*one,
                                                     std::make_shared<Tides>(Tides{{one->comoving * one->comoving}, G}),
                                                     TRELLIS_VARIANT(tides_kernels)(), devices);
    return std::make_unique<TidesOfSofteningOfEach>(
        std::get<SofteningOfEach>(softening), std::make_shared<const TidesBetweenSoftenings>(TidesBetweenSoftenings{G}),
        TRELLIS_VARIANT(tides_between_softenings_kernels)(), devices);
}

}  // namespace trellis
