#include "trellis/forces/tree_mesh/mesh_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "trellis/base/error.hpp"
#include "trellis/mesh/long_range_mesh.hpp"
#include "trellis/particles/box.hpp"

namespace trellis {

namespace {

// The smallest number from `number` on without prime factors other than 2, 3 and 5: its Fourier transforms are fast.
int next_smooth(int number) {
    for (;; ++number) {
        int rest = number;
        for (const int prime : {2, 3, 5})
            while (rest % prime == 0) rest /= prime;
        if (rest == 1) return number;
    }
}

// Particles on a grid, displaced by waves, have these waves again beside the period of the grid. A mesh with as many
// cells folds them back onto the first ones: 2e-4 of a wave that is 7 cells long, for any cutoff. So the mesh has twice
// as many cells along each axis, and its cutoff in cells is longer by this factor, which also takes least time at any
// accuracy (bench/notes/mesh.md).
constexpr double finer = 2, longer = 1.25;

// The cutoff, in cells, at which the root-mean-square error of the mesh alone is below accuracy times the root mean
// square of the net accelerations: the largest of particles that are scattered, clustered, or displaced from a lattice,
// for fine meshes by one wave (docs/mesh.md, bench/notes/mesh.md).
double cutoff_for(double accuracy) {
    // Errors of forces at cutoffs of 3, 4, ... cells.
    constexpr double first = 3;
    constexpr std::array errors{1.4e-2, 1.75e-3, 5e-4, 2.6e-4, 1.5e-4, 1e-4, 7.5e-5, 5.6e-5};
    std::size_t k = 0;
    while (k < errors.size() - 1 && errors[k] > accuracy) ++k;
    if (k == 0) return first;
    const double more = 1 - std::log(accuracy / errors[k]) / std::log(errors[k - 1] / errors[k]);
    return first + static_cast<double>(k - 1) + more;
}

void check_periodic(const Region& region) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (!region.periodic(axis))
            throw InputError(std::string("a force with a mesh needs a box that is periodic along all axes: along ") +
                             "xyz"[axis] + " space is open");
}

}  // namespace

double tree_mesh_cutoff(double accuracy) {
    if (!(accuracy >= finest_tree_mesh_accuracy && accuracy < 1))
        throw InputError("accuracy is " + to_text(accuracy) + ": allowed with method treepm is " +
                         to_text(finest_tree_mesh_accuracy) + " to below 1");
    return longer * cutoff_for(accuracy / std::numbers::sqrt2);
}

TreeMeshSettings with_cutoff(TreeMeshSettings mesh, double accuracy) {
    if (mesh.cells < 0) throw InputError("mesh_cells is " + std::to_string(mesh.cells) + ": allowed is 4 or more");
    if (!(mesh.cutoff >= 0 && std::isfinite(mesh.cutoff)))
        throw InputError("mesh_cutoff is " + to_text(mesh.cutoff) + ": allowed are numbers of cells above 0");
    if (mesh.cutoff == 0) mesh.cutoff = tree_mesh_cutoff(accuracy);
    return mesh;
}

MeshOfRegion mesh_of_region(const Region& region, TreeMeshSettings mesh, double particles) {
    check_periodic(region);
    const Vec3<double> side = region.high - region.low;
    const double longest = largest(side), shortest = std::min({side.x, side.y, side.z});
    if (mesh.cells == 0) {
        const double share = side.x / longest * (side.y / longest) * (side.z / longest);
        const double for_cutoff = 2 * mesh.cutoff * longest / shortest;
        const double for_particles = finer * std::cbrt(particles / share);
        mesh.cells = next_smooth(static_cast<int>(std::ceil(std::max(for_particles, for_cutoff) * (1 - 1e-12))));
    }
    MeshOfRegion found{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        found.cells[axis] = static_cast<int>(std::lround(side[axis] / longest * mesh.cells));
    check({.cells = found.cells, .order = tree_mesh_assignment}, region);
    found.cutoff = mesh.cutoff * (longest / mesh.cells);
    if (2 * found.cutoff > shortest * (1 + 1e-12))
        throw InputError("a mesh of " + std::to_string(mesh.cells) + " cells has a cutoff of " + to_text(mesh.cutoff) +
                         " cells, more than half of a side: allowed are more cells");
    return found;
}

}  // namespace trellis
