// The long-range field of particles in a periodic box, by a mesh (particle-mesh method). On several sites, each site
// has the density of all sites and solves the whole mesh by itself.
#pragma once

#include <array>
#include <complex>
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
    int order = 3;  // order of the assignment: 2 (CIC), 3 (TSC) or 4 (PCS)
};

// Throws InputError for settings that are out of range, a region that is not periodic along all axes, and where Trellis
// was built without a library for Fourier transforms.
void check(const MeshSettings& settings, const Region& region);

// T: float or double, the type of values at the nodes.
template <class T>
class LongRangeMesh {
  public:
    // Throws as check.
    LongRangeMesh(std::shared_ptr<Comm> comm, const Region& region, const S2Split& split, const MeshSettings& settings);

    const MeshGrid& grid() const { return grid_; }

    // Collective, like finish: begins with the particles of this rank, anywhere in space; messages travel until finish.
    // On several sites it waits for the ranks of its own site.
    void begin(std::span<const Vec3<double>> positions, std::span<const double> strengths, Phases& phases);
    void finish(Phases& phases);
    // Collective, instead of finish: this rank's part of the virial tensor of the energy 1/2 sum s_i s_j L(r_ij), i = j
    // and images included; see virial_of_waves. The parts of the ranks of a site add up to the whole.
    std::array<Vec3<double>, 3> finish_virial(Phases& phases);
    // Not collective, after finish. point: one of the positions given to begin. The sum s L(r) over all particles and
    // images, the particle at the point included, over a uniform background, and its gradient.
    PotentialAndGradient<double> at(const Vec3<double>& point) const;

  private:
    // The coefficients of the density of all ranks.
    std::vector<std::complex<T>> spectrum(Phases& phases);
    std::vector<T> to_patch(std::vector<std::complex<T>> coefficients, Phases& phases);

    MeshGrid grid_;
    MeshSettings settings_;
    Pencils<T> pencils_;
    PatchExchange<T> exchange_;  // among the ranks of this site, like the pencils
    SiteDensities<T> sites_;
    S2Split split_;
    std::vector<T> green_;
    NodeBox patch_{};
    std::vector<PotentialAndGradient<T>> field_;
};

}  // namespace trellis
