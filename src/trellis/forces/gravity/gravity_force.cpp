#include "trellis/forces/gravity/gravity_force.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/gravity/gravity_kernel.hpp"
#include "trellis/forces/gravity/gravity_pairs.hpp"

namespace trellis {

using namespace fields;

namespace {

class GravityForce final : public TreeForce {
  public:
    GravityForce(double softening, const Gravity& gravity, const ForceSettings& settings,
                 std::shared_ptr<Device> device)
        : TreeForce(TRELLIS_VARIANT(gravity_kernels)(), std::make_shared<const Gravity>(gravity), gravity.coupling(),
                    settings, std::move(device)),
          softening_(softening) {}

    double longest_step(const ParticleSet& particles) const override;

  private:
    double softening_;
};

// Gadget's limit (Springel 2005, equation 34, with its usual accuracy of 0.025): a particle that accelerates from rest
// crosses a part of the softening length. Without softening there is no limit.
double GravityForce::longest_step(const ParticleSet& particles) const {
    if (softening_ == 0) return std::numeric_limits<double>::infinity();
    const auto a = particles[acceleration];
    const auto larger = [](double x, double y) { return std::max(x, y); };
    const double largest = parallel_reduce(
        particles.size(), 0.0,
        [&](std::size_t begin, std::size_t end) {
            double found = 0;
            for (std::size_t row = begin; row < end; ++row) found = larger(found, dot(a[row], a[row]));
            return found;
        },
        larger);
    return std::sqrt(2 * 0.025 * softening_ / std::sqrt(largest));
}

}  // namespace

Gravity checked_gravity(double softening, double G) {
    if (!(softening >= 0 && std::isfinite(softening)))
        throw InputError("softening is " + to_text(softening) + ": allowed is 0 or more");
    if (!(std::isfinite(G) && G > 0)) throw InputError("G is " + to_text(G) + ": allowed is above 0");
    return {{softening * softening}, G};
}

std::unique_ptr<TreeForce> gravity(double softening, double G, const ForceSettings& settings,
                                   std::shared_ptr<Device> device) {
    register_gravity_pairs();
    return std::make_unique<GravityForce>(softening, checked_gravity(softening, G), settings, std::move(device));
}

}  // namespace trellis
