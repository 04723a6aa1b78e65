#include "trellis/forces/sph/first_lengths.hpp"

#include <algorithm>
#include <cmath>

#include "trellis/base/parallel.hpp"
#include "trellis/forces/sph/kernels/fields.hpp"
#include "trellis/forces/sph/smoothing_length.hpp"
#include "trellis/lists/neighbours/search/search_tree.hpp"

namespace trellis {

using namespace fields;

namespace {

constexpr std::uint32_t leaf_size = 32;

// The length with `neighbours` neighbours among count particles on a lattice between the faces of this box; 0 if the
// box is a point.
double length_in(const Extent& box, std::uint32_t count, int dimensions, double neighbours) {
    const Vec3<double> sides = box.high - box.low;
    double low = 0, high = largest(sides);
    for (int halvings = 0; halvings < 20 && high > 0; ++halvings) {
        const double spacing = (low + high) / 2;
        const double points = (sides.x / spacing + 1) * (sides.y / spacing + 1) * (sides.z / spacing + 1);
        (points > count ? low : high) = spacing;
    }
    return high * std::pow(neighbours / unit_ball(dimensions), 1.0 / dimensions);
}

}  // namespace

void guess_lengths(ParticleSet& particles, int dimensions, double neighbours, Phases& phases) {
    const auto h = particles[smoothing_length];
    if (std::ranges::none_of(h, [](double length) { return length == 0; })) return;
    const double no_reach = 0;
    SearchTree tree;
    tree.build(particles[position], Radii({&no_reach, 1}), leaf_size, phases);
    const auto all = static_cast<std::uint32_t>(particles.size());
    const double overall = length_in(tree.zone(0).bounds, all, dimensions, neighbours);
    parallel_tasks(tree.leaves().size(), [&](std::size_t k, int) {
        const std::uint32_t leaf = tree.leaves()[k];
        const Cell& cell = tree.cells()[leaf];
        double length = length_in(tree.zone(leaf).bounds, cell.count, dimensions, neighbours);
        if (length == 0) length = overall > 0 ? overall : 1;  // one particle, or all at one point
        for (std::uint32_t slot = cell.first; slot < cell.end(); ++slot)
            if (double& of_row = h[tree.order()[slot]]; of_row == 0) of_row = length;
    });
}

}  // namespace trellis
