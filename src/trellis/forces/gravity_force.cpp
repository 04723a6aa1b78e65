#include "trellis/forces/gravity_force.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/cuda/gravity_pairs.hpp"
#include "trellis/forces/gravity_kernel.hpp"

namespace trellis {

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

// Gadget's (Springel 2005, equation 34, with its usual accuracy of 0.025): what accelerates from rest crosses a part of the softening
// length. Without softening there is no length to go by.
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

Gravity checked_gravity(double softening, double g) {
    if (!(softening >= 0 && std::isfinite(softening)))
        throw InputError("softening is " + to_text(softening) + ": allowed is 0 or more");
    if (!(std::isfinite(g) && g > 0)) throw InputError("G is " + to_text(g) + ": allowed is above 0");
    return {{softening * softening}, g};
}

std::unique_ptr<TreeForce> gravity(double softening, double g, const ForceSettings& settings,
                                   std::shared_ptr<Device> device) {
    register_gravity_pairs();
    return std::make_unique<GravityForce>(softening, checked_gravity(softening, g), settings, std::move(device));
}

}  // namespace trellis
