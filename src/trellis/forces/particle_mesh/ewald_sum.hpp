// The sum over all images in a periodic box, by Ewald's method in double precision: the oracle of forces with a mesh.
#pragma once

#include <cmath>
#include <vector>

#include "trellis/mesh/patch.hpp"
#include "trellis/particles/particle_set.hpp"

namespace trellis {

// Calls visit(d + n) for each vector n of whole periods for which that may be shorter than reach.
template <class Visit>
void for_images(const Region& region, const Vec3<double>& d, double reach, Visit&& visit) {
    const Vec3<double> side = region.high - region.low;
    const auto lowest = [&](std::size_t axis) { return std::ceil((-reach - d[axis]) / side[axis]); };
    const auto highest = [&](std::size_t axis) { return std::floor((reach - d[axis]) / side[axis]); };
    for (double x = lowest(0); x <= highest(0); ++x)
        for (double y = lowest(1); y <= highest(1); ++y)
            for (double z = lowest(2); z <= highest(2); ++z)
                visit(d + Vec3<double>{x * side.x, y * side.y, z * side.z});
}

class EwaldSum {
  public:
    // Periodic along all axes; sides may differ.
    explicit EwaldSum(const Region& region);

    // The sum of 1 / sqrt(|d + n|^2 + epsilon2) over all n of whole periods, less its mean over the box, with its
    // gradient; where d is 0, without the term of n = 0. The images that Ewald's method sums in real space, out to some
    // three sides, are softened. The relative error is about 1e-11 (Ewald 1921; de Leeuw, Perram & Smith 1980).
    PotentialAndGradient<double> operator()(const Vec3<double>& d, double epsilon2) const;

  private:
    struct Wave {
        Vec3<double> k;
        double weight;
    };

    Region region_;
    double alpha_, reach_, background_;
    std::vector<Wave> waves_;  // half of them: of k and -k, one
};

// The acceleration and potential at a place by all images of all sources, softened as above, with the gravitational
// constant G: four values, as of Force::reference.
void gravity_of_all_images(const ParticleSet& sources, const Vec3<double>& at, double epsilon2, double G,
                           double* values);

}  // namespace trellis
