#include "trellis/integrate/thermostats/own_motion.hpp"

#include <array>
#include <cmath>
#include <functional>

#include "trellis/base/error.hpp"
#include "trellis/particles/motion.hpp"
#include "trellis/ranks/comm/exact_sum.hpp"

namespace trellis {

using namespace fields;

OwnMotion own_motion(const ParticleSet& particles, Comm& comm, Axes axes) {
    const auto v = particles[velocity];
    const auto m = particles[mass];
    const std::size_t held = fixed_count(particles);
    const auto count = all_reduce(comm, static_cast<double>(particles.size() - held), std::plus{});
    if (count < 2)
        throw InputError("a thermostat that scales velocities relative to their centre of mass has " + to_text(count) +
                         (held > 0 ? " free" : "") + (count == 1 ? " particle" : " particles") +
                         ": allowed is 2 or more; Langevin takes any");
    using Sums = std::array<double, 5>;
    const FreeRows free(particles);
    const Sums sums = exact_sums<5>(comm, particles.size(), [&](std::size_t k) -> Sums {
        if (!free[k]) return {};
        const Vec3<double> along = axes.part_of(v[k]);
        return {m[k], m[k] * v[k].x, m[k] * v[k].y, m[k] * v[k].z, m[k] * dot(along, along)};
    });
    const Vec3<double> drift = Vec3<double>{sums[1], sums[2], sums[3]} / sums[0];
    const Vec3<double> drift_along = axes.part_of(drift);
    const double kinetic = 0.5 * (sums[4] - sums[0] * dot(drift_along, drift_along));
    if (!std::isfinite(kinetic))
        throw RunError("a thermostat cannot act: masses must be above 0 and finite, velocities finite");
    return {drift, kinetic < 0 ? 0 : kinetic, axes.count() * (count - 1), axes};
}

void scale_own_motion(ParticleSet& particles, const OwnMotion& motion, double factor) {
    const auto v = particles[velocity];
    const Vec3<double> drift = motion.drift;
    FreeRows(particles).for_each(
        particles.size(), [&](std::size_t k) { v[k] = motion.axes.changed(v[k], drift + factor * (v[k] - drift)); });
}

bool conserves_rotation(const Region& region) {
    int periodic = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) periodic += region.periodic(axis) ? 1 : 0;
    return periodic < 2;
}

void refuse_chain(const Region& region) {
    if (conserves_rotation(region))
        throw InputError(
            "a Nose-Hoover chain is not canonical in open space, where the angular momentum is conserved: allowed there"
            " are Langevin, Andersen and Csvr, and the chain in a box that is periodic along two axes or three");
}

}  // namespace trellis
