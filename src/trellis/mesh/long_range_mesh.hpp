// The long-range field of particles in a periodic box, by a mesh (particle-mesh method). Of several sites, each has the
// density of all and solves the whole mesh by itself.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trellis/base/phase.hpp"
#include "trellis/mesh/patch.hpp"
#include "trellis/mesh/patch_exchange.hpp"
#include "trellis/mesh/pencils.hpp"
#include "trellis/mesh/site_densities.hpp"
#include "trellis/mesh/split.hpp"

namespace trellis {

struct MeshSettings {
    Nodes cells{};  // along each axis, 4 to 16384
    int order = 3;  // of the assignment: 2 (CIC), 3 (TSC) or 4 (PCS)
};

// Throws InputError for settings that are out of range, a region that is not periodic along all axes, and where Trellis
// was built without a library for Fourier transforms.
void check(const MeshSettings& settings, const Region& region);

// T: float or double, of values at the nodes.
template <class T>
class LongRangeMesh {
  public:
    // Throws as check.
    LongRangeMesh(std::shared_ptr<Comm> comm, const Region& region, const S2Split& split, const MeshSettings& settings);

    const MeshGrid& grid() const { return grid_; }

    // Collective, as all calls: begins with the particles of this rank, wherever they are; messages travel until
    // finish. On several sites it waits for the ranks of its own.
    void begin(std::span<const Vec3<double>> positions, std::span<const double> strengths, Phases& phases);
    void finish(Phases& phases);
    // Not collective, after finish, at one of the positions given to begin: sum s L(r) over all particles and images,
    // the one there too, over a uniform background, and its gradient.
    PotentialAndGradient<double> at(const Vec3<double>& place) const;

  private:
    std::vector<T> to_patch(std::vector<std::complex<T>> coefficients, Phases& phases);

    MeshGrid grid_;
    MeshSettings settings_;
    Pencils<T> pencils_;
    PatchExchange<T> exchange_;  // within the site, as the pencils are
    SiteDensities<T> sites_;
    std::vector<T> green_;
    NodeBox patch_{};
    std::vector<PotentialAndGradient<T>> field_;
};

}  // namespace trellis
