#include "trellis/forces/gravity/gravity_force.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/gravity/gravity_pairs.hpp"
#include "trellis/forces/gravity/periodic/periodic_gravity.hpp"
#include "trellis/forces/gravity/timed_force.hpp"

namespace trellis {

using namespace fields;

namespace {

void check_constant(double G) {
    if (!(std::isfinite(G) && G > 0)) throw InputError("G is " + to_text(G) + ": allowed is above 0");
}

// The largest of value(row), at least 0.
template <class Value>
double largest_of(std::size_t rows, const Value& value) {
    const auto larger = [](double x, double y) { return std::max(x, y); };
    return parallel_reduce(
        rows, 0.0,
        [&](std::size_t begin, std::size_t end) {
            double found = 0;
            for (std::size_t row = begin; row < end; ++row) found = larger(found, value(row));
            return found;
        },
        larger);
}

// Gadget's limit (Springel 2005, equation 34, with its usual accuracy of 0.025): a particle that accelerates from rest
// crosses a part of the softening length.
double step_of(double softening, double acceleration) { return std::sqrt(2 * 0.025 * softening / acceleration); }

void check_max_physical(double length) {
    if (!(length > 0)) throw InputError("softening_max_physical is " + to_text(length) + ": allowed is above 0");
}

// The kernels, the far images and the oracle see the softening change in objects that they share.
class GravityForce final : public TreeForce, public TimedForce {
  public:
    GravityForce(const ComovingSoftening& softening, const std::shared_ptr<Gravity>& gravity,
                 const std::shared_ptr<PeriodicGravitySettings>& in_box, const ForceSettings& settings, Devices devices)
        : TreeForce(TRELLIS_VARIANT(gravity_kernels)(), gravity, gravity->coupling(), settings, std::move(devices),
                    periodic_gravity(in_box)),
          softening_(softening),
          gravity_(gravity),
          in_box_(in_box) {}

    void set_time(double time) override {
        const double length = softening_.at(time);
        in_box_->softening = length;
        gravity_->epsilon2 = {length * length};
    }

    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        set_time(step.time);
        TreeForce::dispatch(particles, step, phases);
    }

    double longest_step(const ParticleSet& particles) const override {
        return longest_step_of_gravity(in_box_->softening, particles);
    }

  private:
    ComovingSoftening softening_;
    std::shared_ptr<Gravity> gravity_;
    std::shared_ptr<PeriodicGravitySettings> in_box_;
};

class GravityForceBetweenSoftenings final : public TreeForce, public TimedForce {
  public:
    GravityForceBetweenSoftenings(const SofteningOfEach& softening, const GravityBetweenSoftenings& gravity,
                                  const ForceSettings& settings, Devices devices)
        : TreeForce(TRELLIS_VARIANT(gravity_between_softenings_kernels)(),
                    std::make_shared<const GravityBetweenSoftenings>(gravity), gravity.coupling(), settings,
                    std::move(devices),
                    periodic_gravity(std::make_shared<const PeriodicGravitySettings>(
                        PeriodicGravitySettings{.G = gravity.G, .softening_of_each = true}))),
          softenings_(softening) {
        if (softenings_.limited() && settings.lists == Lists::reuse)
            throw InputError(
                "lists is reuse, but with softening_max_physical softenings by type change at each step: "
                "allowed is rebuild");
    }

    void set_time(double time) override { time_ = time; }

    void attach(ParticleSet& particles, std::size_t number) override {
        softenings_.attach(particles);
        TreeForce::attach(particles, number);
    }

    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        set_time(step.time);
        softenings_.renew(particles, time_);
        TreeForce::dispatch(particles, step, phases);
    }

    // Particles without softening have no limit.
    double longest_step(const ParticleSet& particles) const override {
        const auto a = particles[acceleration];
        const auto e = particles[softening];
        return step_of(1, largest_of(a.size(), [&](std::size_t row) {
                           const double length = softenings_.at(time_, e[row]);
                           return length > 0 ? std::sqrt(dot(a[row], a[row])) / length : 0;
                       }));
    }

  private:
    SofteningField softenings_;
    double time_ = 0;
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

double longest_step_of_gravity(double softening, const ParticleSet& particles) {
    if (softening == 0) return std::numeric_limits<double>::infinity();
    const auto a = particles[acceleration];
    return step_of(softening, std::sqrt(largest_of(a.size(), [&](std::size_t row) { return dot(a[row], a[row]); })));
}

std::unique_ptr<TreeForce> gravity(double softening, double G, const ForceSettings& settings, Devices devices) {
    return gravity(ComovingSoftening{.comoving = softening}, G, settings, std::move(devices));
}

std::unique_ptr<TreeForce> gravity(const ComovingSoftening& softening, double G, const ForceSettings& settings,
                                   Devices devices) {
    register_gravity_pairs();
    check_max_physical(softening.max_physical);
    const PeriodicGravitySettings in_box{.softening = softening.comoving, .G = G};
    return std::make_unique<GravityForce>(softening, std::make_shared<Gravity>(checked_gravity(softening.comoving, G)),
                                          std::make_shared<PeriodicGravitySettings>(in_box), settings,
                                          std::move(devices));
}

std::unique_ptr<TreeForce> gravity(const SofteningOfEach& softening, double G, const ForceSettings& settings,
                                   Devices devices) {
    register_gravity_pairs();
    check_max_physical(softening.max_physical);
    return std::make_unique<GravityForceBetweenSoftenings>(softening, checked_gravity_between_softenings(G), settings,
                                                           std::move(devices));
}

}  // namespace trellis
