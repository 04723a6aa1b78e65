#include "trellis/forces/gravity/gravity_force.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/among_types.hpp"
#include "trellis/forces/checks.hpp"
#include "trellis/forces/gravity/gravity_between_softenings.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/gravity/gravity_pairs.hpp"

namespace trellis {

using namespace fields;

namespace {

void check_constant(double G) {
    if (!(std::isfinite(G) && G > 0)) throw InputError("G is " + to_text(G) + ": allowed is above 0");
}

// whose: such as " of gas".
void check_softening(double softening, const std::string& whose = "") {
    if (!(softening >= 0 && std::isfinite(softening)))
        throw InputError("softening" + whose + " is " + to_text(softening) + ": allowed is 0 or more");
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

class GravityForce final : public TreeForce {
  public:
    GravityForce(double softening, const Gravity& gravity, const ForceSettings& settings,
                 std::shared_ptr<Device> device)
        : TreeForce(TRELLIS_VARIANT(gravity_kernels)(), std::make_shared<const Gravity>(gravity), gravity.coupling(),
                    settings, std::move(device)),
          softening_(softening) {}

    // Without softening there is no limit.
    double longest_step(const ParticleSet& particles) const override {
        if (softening_ == 0) return std::numeric_limits<double>::infinity();
        const auto a = particles[acceleration];
        return step_of(softening_,
                       std::sqrt(largest_of(a.size(), [&](std::size_t row) { return dot(a[row], a[row]); })));
    }

  private:
    double softening_;
};

// By the number of the type; NaN: it has none.
using SofteningsOfTypes = std::array<double, particle_types.size()>;

SofteningsOfTypes softenings_of_types(const std::map<std::string, double>& by_type) {
    SofteningsOfTypes of_types;
    of_types.fill(std::numeric_limits<double>::quiet_NaN());
    for (const auto& [type, softening] : by_type) {
        const auto found = std::ranges::find(particle_types, type);
        if (found == particle_types.end())
            throw InputError("softening has '" + type + "': the types are gas, halo, disk, bulge, stars and boundary");
        check_softening(softening, " of " + type);
        of_types[static_cast<std::size_t>(found - particle_types.begin())] = softening;
    }
    return of_types;
}

class GravityForceBetweenSoftenings final : public TreeForce {
  public:
    GravityForceBetweenSoftenings(const SofteningOfEach& softening, const GravityBetweenSoftenings& gravity,
                                  const ForceSettings& settings, std::shared_ptr<Device> device)
        : TreeForce(TRELLIS_VARIANT(gravity_between_softenings_kernels)(),
                    std::make_shared<const GravityBetweenSoftenings>(gravity), gravity.coupling(), settings,
                    std::move(device)),
          by_type_(!softening.by_type.empty()),
          of_types_(softenings_of_types(softening.by_type)) {}

    void attach(ParticleSet& particles, std::size_t number) override {
        if (by_type_) {
            if (!particles.has(SofteningLength::name)) particles.add(fields::softening);
            set_by_type(particles);
        } else if (!particles.has(SofteningLength::name)) {
            throw InputError("gravity has the softening of each particle, but the particles have no field 'softening'");
        }
        TreeForce::attach(particles, number);
    }

    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        if (by_type_) set_by_type(particles);
        check_not_negative(particles, SofteningLength::name);
        TreeForce::dispatch(particles, step, phases);
    }

    // Particles without softening have no limit.
    double longest_step(const ParticleSet& particles) const override {
        const auto a = particles[acceleration];
        const auto e = particles[softening];
        return step_of(1, largest_of(a.size(), [&](std::size_t row) {
                           return e[row] > 0 ? std::sqrt(dot(a[row], a[row])) / e[row] : 0;
                       }));
    }

  private:
    void set_by_type(ParticleSet& particles) const {
        if (!particles.has(ParticleType::name))
            throw InputError("gravity has a softening by type, but the particles have no field 'type'");
        const auto types = particles[particle_type];
        const auto e = particles[softening];
        for (std::size_t row = 0; row < e.size(); ++row) {
            const double type = types[row];
            const bool known = type >= 0 && type < static_cast<double>(of_types_.size()) && type == std::floor(type);
            if (!known || std::isnan(of_types_[static_cast<std::size_t>(type)]))
                throw InputError(
                    "the particle at index " + std::to_string(row) + " is of type " + to_text(type) +
                    (known ? std::string(" (") + particle_types[static_cast<std::size_t>(type)] + ")" : "") +
                    ", for which gravity has no softening");
            e[row] = of_types_[static_cast<std::size_t>(type)];
        }
    }

    bool by_type_;
    SofteningsOfTypes of_types_;
};

}  // namespace

Gravity checked_gravity(double softening, double G) {
    check_softening(softening);
    check_constant(G);
    return {{softening * softening}, G};
}

std::unique_ptr<TreeForce> gravity(double softening, double G, const ForceSettings& settings,
                                   std::shared_ptr<Device> device) {
    register_gravity_pairs();
    return std::make_unique<GravityForce>(softening, checked_gravity(softening, G), settings, std::move(device));
}

std::unique_ptr<TreeForce> gravity(const SofteningOfEach& softening, double G, const ForceSettings& settings,
                                   std::shared_ptr<Device> device) {
    register_gravity_pairs();
    check_constant(G);
    return std::make_unique<GravityForceBetweenSoftenings>(softening, GravityBetweenSoftenings{G}, settings,
                                                           std::move(device));
}

}  // namespace trellis
