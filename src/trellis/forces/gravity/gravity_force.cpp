#include "trellis/forces/gravity/gravity_force.hpp"

#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/allowed_steps.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/gravity/gravity_pairs.hpp"
#include "trellis/forces/gravity/periodic/periodic_gravity.hpp"

namespace trellis {

using namespace fields;

namespace {

void check_constant(double G) {
    if (!(std::isfinite(G) && G > 0)) throw InputError("G is " + to_text(G) + ": allowed is above 0");
}

// Gadget's limit (Springel 2005, equation 34, with its usual accuracy of 0.025): a particle that accelerates from rest
// crosses this share of its softening length.
double step_of(double softening, double acceleration) {
    return std::sqrt(2 * eta_of_limits * softening / acceleration);
}

void check_max_physical(double length) {
    if (!(length > 0)) throw InputError("softening_max_physical is " + to_text(length) + ": allowed is above 0");
}

// The kernels and the far images see the softening change in objects that they share.
class GravityForce final : public ForceByTree {
  public:
    GravityForce(const ComovingSoftening& softening, const std::shared_ptr<Gravity>& gravity,
                 const std::shared_ptr<PeriodicGravitySettings>& in_box, const ForceSettings& settings, Devices devices)
        : ForceByTree(TRELLIS_VARIANT(gravity_kernels)(), gravity, gravity->coupling(),
                      with_expansions_on_devices(settings), std::move(devices), periodic_gravity(in_box)),
          softening_(softening),
          gravity_(gravity),
          in_box_(in_box) {}

    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        const double length = softening_.at(step.time);
        in_box_->softening = length;
        gravity_->epsilon2 = {length * length};
        ForceByTree::dispatch(particles, step, phases);
    }

    void allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* /*ranks*/,
                       std::span<double> steps) const override {
        steps_of_gravity(softening_.at(time), particles, rows, steps);
    }

    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double time, double* values) const override {
        const double length = softening_.at(time);
        if (sources.region().periodic())
            return gravity_of_all_images({.softening = length, .G = gravity_->G}, sources, targets, row, self, values);
        const Gravity now{{length * length}, gravity_->G};
        tree_force().kernels().reference(&now, sources, targets, row, self, values);
    }

  private:
    ComovingSoftening softening_;
    std::shared_ptr<Gravity> gravity_;
    std::shared_ptr<PeriodicGravitySettings> in_box_;
};

class GravityForceBetweenSoftenings final : public ForceByTree {
  public:
    GravityForceBetweenSoftenings(const SofteningOfEach& softening, const GravityBetweenSoftenings& gravity,
                                  const ForceSettings& settings, Devices devices)
        : ForceByTree(TRELLIS_VARIANT(gravity_between_softenings_kernels)(),
                      std::make_shared<const GravityBetweenSoftenings>(gravity), gravity.coupling(),
                      with_expansions_on_devices(settings), std::move(devices),
                      periodic_gravity(std::make_shared<const PeriodicGravitySettings>(
                          PeriodicGravitySettings{.G = gravity.G, .softening_of_each = true}))),
          softenings_(softening) {
        if (softenings_.limited() && settings.lists == Lists::reuse)
            throw InputError(
                "lists is reuse, but with softening_max_physical softenings by type change at each step: "
                "allowed is rebuild");
    }

    void attach(ParticleSet& particles, std::size_t number) override {
        softenings_.attach(particles);
        ForceByTree::attach(particles, number);
    }

    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        softenings_.renew(particles, step.time);
        ForceByTree::dispatch(particles, step, phases);
    }

    std::vector<std::string> reads() const override {
        std::vector<std::string> names = ForceByTree::reads();
        if (softenings_.by_type()) names.emplace_back(ParticleType::name);
        return names;
    }

    void allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* /*ranks*/,
                       std::span<double> steps) const override {
        steps_of_gravity(softenings_, time, particles, rows, steps);
    }

  private:
    SofteningField softenings_;
};

}  // namespace

Gravity checked_gravity(double softening, double G) {
    check_softening(softening);
    check_constant(G);
    return {{softening * softening}, G};
}

GravityBetweenSoftenings checked_gravity_between_softenings(double G) {
    check_constant(G);
    return {G};
}

void steps_of_gravity(double softening, const ParticleSet& particles, const ActiveRows& rows, std::span<double> steps) {
    if (softening == 0) return;
    const auto a = particles[acceleration];
    lower_steps(rows, steps, [&](std::uint32_t row) { return step_of(softening, std::sqrt(dot(a[row], a[row]))); });
}

void steps_of_gravity(const SofteningField& softenings, double time, const ParticleSet& particles,
                      const ActiveRows& rows, std::span<double> steps) {
    const auto a = particles[acceleration];
    const auto e = particles[softening];
    lower_steps(rows, steps, [&](std::uint32_t row) {
        const double length = softenings.at(time, e[row]);
        return step_of(1, length > 0 ? std::sqrt(dot(a[row], a[row])) / length : 0);
    });
}

std::unique_ptr<ForceByTree> gravity(double softening, double G, const ForceSettings& settings, Devices devices) {
    return gravity(ComovingSoftening{.comoving = softening}, G, settings, std::move(devices));
}

std::unique_ptr<ForceByTree> gravity(const ComovingSoftening& softening, double G, const ForceSettings& settings,
                                     Devices devices) {
    TRELLIS_CALL_FOR_GPUS(register_gravity_pairs());
    TRELLIS_CALL_FOR_GPUS(register_gravity_far_field());
    check_max_physical(softening.max_physical);
    const PeriodicGravitySettings in_box{.softening = softening.comoving, .G = G};
    return std::make_unique<GravityForce>(softening, std::make_shared<Gravity>(checked_gravity(softening.comoving, G)),
                                          std::make_shared<PeriodicGravitySettings>(in_box), settings,
                                          std::move(devices));
}

std::unique_ptr<ForceByTree> gravity(const SofteningOfEach& softening, double G, const ForceSettings& settings,
                                     Devices devices) {
    TRELLIS_CALL_FOR_GPUS(register_gravity_pairs());
    TRELLIS_CALL_FOR_GPUS(register_gravity_far_field());
    check_max_physical(softening.max_physical);
    return std::make_unique<GravityForceBetweenSoftenings>(softening, checked_gravity_between_softenings(G), settings,
                                                           std::move(devices));
}

}  // namespace trellis
