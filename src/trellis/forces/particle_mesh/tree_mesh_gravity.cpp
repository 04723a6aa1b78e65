#include "trellis/forces/particle_mesh/tree_mesh_gravity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/gravity/periodic/periodic_gravity.hpp"
#include "trellis/forces/particle_mesh/gravity_within_cutoff.hpp"
#include "trellis/forces/particle_mesh/mesh_force.hpp"
#include "trellis/forces/particle_mesh/particle_mesh_gravity.hpp"
#include "trellis/forces/particle_mesh/tree_mesh_kernel.hpp"
#include "trellis/particles/box.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

using WithinCutoff = GravityWithinCutoff<S2LongRange>;

WithinCutoff within_cutoff(const Gravity& gravity, double cutoff) {
    return {gravity.epsilon2, S2LongRange(cutoff), cutoff, gravity.G};
}

// The next number, at least this one, that has no prime factors but 2, 3 and 5: its Fourier transforms are fast.
int next_smooth(int number) {
    for (;; ++number) {
        int rest = number;
        for (const int prime : {2, 3, 5})
            while (rest % prime == 0) rest /= prime;
        if (rest == 1) return number;
    }
}

// What the mesh adds to the forces of the tree.
class MeshPart final : public LatticeSum {
  public:
    explicit MeshPart(const Gravity& gravity) : gravity_(gravity) {}

    // Begins anew, with another mesh for so many particles on all ranks.
    void set(const MeshOfRegion& mesh, const ParticleMeshSettings& settings, double particles) {
        particles_ = particles;
        cutoff_ = mesh.cutoff;
        mesh_ = std::make_unique<MeshForce>(
            MeshForceSettings{.coupling = -gravity_.G,
                              .split = mesh.split,
                              .mesh = {.cells = mesh.cells, .order = settings.order, .gradient = settings.gradient},
                              .precision = settings.pairs.precision});
    }

    // mesh_of_region has done it.
    void check(const Region& /*region*/, double /*accuracy*/) const override {}

    ForcesInBox gather(ParticleSet& particles, const Ranks* ranks, Phases& phases) override {
        mesh_->dispatch(particles, {.ranks = ranks}, phases);
        double weight = 0;
        for (const double m : std::as_const(particles)[mass]) weight += m;
        if (ranks != nullptr) weight = all_reduce(*ranks->comm, weight, std::plus<>());
        const Vec3<double> side = particles.region().high - particles.region().low;
        const double volume = side.x * side.y * side.z;
        return {particles_ > 0 ? weight / std::cbrt(particles_) / std::pow(volume, 2.0 / 3) : 0,
                weight / volume * cutoff_};
    }

    void add(ParticleSet& particles, Phases& phases) override { mesh_->retrieve(particles, phases); }

    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double* values) const override {
        gravity_of_all_images({.softening = std::sqrt(gravity_.epsilon2.value), .G = gravity_.G}, sources, targets, row,
                              self, values);
    }

  private:
    Gravity gravity_;
    std::unique_ptr<MeshForce> mesh_;
    double particles_ = 0, cutoff_ = 0;
};

ForceSettings of_tree(ForceSettings settings) {
    if (settings.order == 1) throw InputError("order is 1: allowed with method treepm is 2 to 5");
    settings.method = Method::fmm;
    return settings;
}

class TreeMeshGravity final : public TreeForce {
  public:
    // part: what owned points to.
    TreeMeshGravity(double softening, const Gravity& gravity, const ForceSettings& settings, ParticleMeshSettings mesh,
                    MeshPart& part, std::unique_ptr<LatticeSum> owned)
        : TreeForce(TRELLIS_VARIANT(s2_tree_kernels)(), std::make_shared<const WithinCutoff>(within_cutoff(gravity, 1)),
                    gravity.coupling(), of_tree(settings), {}, std::move(owned)),
          softening_(softening),
          gravity_(gravity),
          mesh_(std::move(mesh)),
          part_(part) {}

    void attach(ParticleSet& particles, std::size_t number) override {
        TreeForce::attach(particles, number);
        // What would keep the mesh from being made is found before a long run begins, not at its first step.
        find_mesh(particles, static_cast<double>(particles.size()));
    }

    // The density travels while the tree is made.
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        if (particles.region() != region_) {
            auto count = static_cast<double>(particles.size());
            if (step.ranks != nullptr) count = all_reduce(*step.ranks->comm, count, std::plus<>());
            const auto [mesh, settings] = find_mesh(particles, count);
            part_.set(mesh, settings, count);
            set_interaction(std::make_shared<const WithinCutoff>(within_cutoff(gravity_, mesh.cutoff)), mesh.cutoff);
            region_ = particles.region();
        }
        TreeForce::dispatch(particles, step, phases);
    }

    double longest_step(const ParticleSet& particles) const override {
        return longest_step_of_gravity(softening_, particles);
    }

  private:
    struct FoundMesh {
        MeshOfRegion mesh;
        ParticleMeshSettings settings;
    };
    // As many cells as particles, but enough for the cutoff along the shortest side.
    FoundMesh find_mesh(const ParticleSet& particles, double count) const {
        ParticleMeshSettings settings = mesh_;
        const Region& region = particles.region();
        if (settings.cells == 0 && region.periodic(0) && region.periodic(1) && region.periodic(2)) {
            const Vec3<double> side = region.high - region.low;
            const double longest = largest(side), share = side.x / longest * (side.y / longest) * (side.z / longest);
            const double enough = 2 * settings.cutoff * longest / std::min({side.x, side.y, side.z});
            settings.cells =
                next_smooth(static_cast<int>(std::ceil(std::max(std::cbrt(count / share), enough) * (1 - 1e-12))));
        }
        return {mesh_of_region(particles.region(), settings), settings};
    }

    double softening_;
    Gravity gravity_;
    ParticleMeshSettings mesh_;
    MeshPart& part_;
    std::optional<Region> region_;  // that the mesh is for
};

ParticleMeshSettings chosen(const TreeMeshSettings& mesh, const ForceSettings& settings) {
    if (mesh.cells < 0) throw InputError("mesh_cells is " + std::to_string(mesh.cells) + ": allowed is 4 or more");
    if (!(mesh.cutoff >= 0))
        throw InputError("mesh_cutoff is " + to_text(mesh.cutoff) + ": allowed are numbers of cells above 0");
    ParticleMeshSettings chosen{.cells = mesh.cells};
    chosen.cutoff = chosen.split_length = mesh.cutoff > 0 ? mesh.cutoff : tree_mesh_cutoff(settings.accuracy);
    chosen.pairs.precision = settings.precision;
    return chosen;
}

}  // namespace

double tree_mesh_cutoff(double accuracy) {
    if (!(accuracy >= finest_tree_mesh_accuracy && accuracy < 1))
        throw InputError("accuracy is " + to_text(accuracy) + ": allowed with method treepm is " +
                         to_text(finest_tree_mesh_accuracy) + " to below 1");
    return particle_mesh_settings(accuracy / std::numbers::sqrt2, 0).cutoff;
}

std::unique_ptr<TreeForce> tree_mesh_gravity(double softening, double G, const ForceSettings& settings,
                                             const TreeMeshSettings& mesh) {
    const Gravity gravity = checked_gravity(softening, G);
    auto owned = std::make_unique<MeshPart>(gravity);
    MeshPart& part = *owned;
    return std::make_unique<TreeMeshGravity>(softening, gravity, settings, chosen(mesh, settings), part,
                                             std::move(owned));
}

}  // namespace trellis
