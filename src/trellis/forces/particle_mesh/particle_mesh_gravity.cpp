#include "trellis/forces/particle_mesh/particle_mesh_gravity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/gravity/periodic/periodic_gravity.hpp"
#include "trellis/forces/particle_mesh/gravity_within_cutoff.hpp"
#include "trellis/forces/particle_mesh/gravity_within_cutoff_kernel.hpp"
#include "trellis/particles/box.hpp"

namespace trellis {

using namespace fields;

namespace {

double reach_over_length(SplitShape split) {
    return split == SplitShape::gaussian ? GaussianLongRange::reach_over_length : S2LongRange::reach_over_length;
}

std::unique_ptr<ShortRangeForce> pairs_within(const MeshOfRegion& mesh, const Gravity& gravity,
                                              const ShortRangeSettings& settings) {
    if (mesh.split.shape == SplitShape::gaussian)
        return short_range_force_with(
            TRELLIS_VARIANT(gaussian_gravity_kernels)(),
            GravityWithinCutoff<GaussianLongRange>{gravity.epsilon2, GaussianLongRange(mesh.split.length), mesh.cutoff,
                                                   gravity.G},
            settings);
    return short_range_force_with(
        TRELLIS_VARIANT(s2_gravity_kernels)(),
        GravityWithinCutoff<S2LongRange>{gravity.epsilon2, S2LongRange(mesh.split.length), mesh.cutoff, gravity.G},
        settings);
}

// Mesh and pairs, made for the region of the particles that they are attached to.
class ParticleMeshGravity final : public Force {
  public:
    ParticleMeshGravity(double softening, const Gravity& gravity, const ParticleMeshSettings& settings)
        : softening_(softening), gravity_(gravity), settings_(settings) {
        if (!settings.pairs.device.none())
            throw InputError(
                "gravity with a mesh is not there on devices yet: allowed are the threads of this process");
        check(settings.pairs);
    }

    void attach(ParticleSet& particles, std::size_t number) override {
        const MeshOfRegion mesh = mesh_of_region(particles.region(), settings_);
        region_ = particles.region();
        mesh_ = std::make_unique<MeshForce>(
            MeshForceSettings{.coupling = -gravity_.G,
                              .split = mesh.split,
                              .mesh = {.cells = mesh.cells, .order = settings_.order, .gradient = settings_.gradient},
                              .precision = settings_.pairs.precision});
        pairs_ = pairs_within(mesh, gravity_, settings_.pairs);
        mesh_->attach(particles, number);
        pairs_->attach(particles, number);
    }

    // The density travels while neighbours are listed.
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        if (particles.region() != region_)
            throw InputError("the box has changed since gravity with a mesh was made for it");
        mesh_->dispatch(particles, step, phases);
        pairs_->dispatch(particles, step, phases);
    }

    Work retrieve(ParticleSet& particles, Phases& phases) override {
        Work work = pairs_->retrieve(particles, phases);
        return work += mesh_->retrieve(particles, phases);
    }

    bool may_fail_after_writing() const override { return false; }
    bool uses_previous_acceleration() const override { return false; }
    std::uint32_t reuse_steps() const override {
        return settings_.pairs.lists == Lists::reuse ? settings_.pairs.reuse_steps : 1;
    }
    const ListUse& list_use() const override { return pairs_ != nullptr ? pairs_->list_use() : Force::list_use(); }
    std::span<const FieldInfo> results() const override {
        static const std::array fields{field_info<Acceleration>(), field_info<Potential>()};
        return fields;
    }
    double longest_step(const ParticleSet& particles) const override {
        return longest_step_of_gravity(softening_, particles);
    }

    // The whole by a lattice sum, which knows nothing of the split.
    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double* values) const override {
        gravity_of_all_images({.softening = std::sqrt(gravity_.epsilon2.value), .G = gravity_.G}, sources, targets, row,
                              self, values);
    }

  private:
    double softening_;
    Gravity gravity_;
    ParticleMeshSettings settings_;
    Region region_;
    std::unique_ptr<MeshForce> mesh_;
    std::unique_ptr<ShortRangeForce> pairs_;
};

}  // namespace

ParticleMeshSettings particle_mesh_settings(double accuracy, int cells) {
    if (!(accuracy >= finest_mesh_accuracy && accuracy < 1))
        throw InputError("accuracy is " + to_text(accuracy) + ": with a mesh, allowed is " +
                         to_text(finest_mesh_accuracy) + " to below 1");
    // The largest error found, and a third of it more.
    constexpr double first = 3;
    constexpr std::array errors{1.4e-2, 1.75e-3, 5e-4, 1.95e-4, 9.5e-5, finest_mesh_accuracy * 0.99};
    std::size_t k = 0;
    while (k < errors.size() - 1 && errors[k] > accuracy) ++k;
    const double more = k == 0 ? 0 : 1 - std::log(accuracy / errors[k]) / std::log(errors[k - 1] / errors[k]);
    ParticleMeshSettings settings{.cells = cells};
    settings.cutoff = settings.split_length = k == 0 ? first : first + static_cast<double>(k - 1) + more;
    return settings;
}

MeshOfRegion mesh_of_region(const Region& region, const ParticleMeshSettings& settings) {
    const Vec3<double> side = region.high - region.low;
    MeshOfRegion mesh{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!region.periodic(axis))
            throw InputError(std::string("a force with a mesh needs a box that is periodic along all axes: along ") +
                             "xyz"[axis] + " space is open");
        mesh.cells[axis] = static_cast<int>(std::lround(side[axis] / largest(side) * settings.cells));
    }
    check({.cells = mesh.cells, .order = settings.order}, region);
    const double cell = largest(side) / settings.cells, reach = reach_over_length(settings.split);
    if (!(settings.split_length > 0 && settings.split_length < settings.cells))
        throw InputError("split_length is " + to_text(settings.split_length) +
                         ": allowed is above 0, below the number of cells");
    if (!(settings.cutoff > 0 && settings.cutoff <= reach * settings.split_length * (1 + 1e-12)))
        throw InputError("cutoff is " + to_text(settings.cutoff) + " cells: allowed is above 0, up to " +
                         to_text(reach * settings.split_length));
    mesh.split = {settings.split, settings.split_length * cell};
    mesh.cutoff = std::min(settings.cutoff * cell, reach * mesh.split.length);
    if (2 * mesh.cutoff > std::min({side.x, side.y, side.z}) * (1 + 1e-12))
        throw InputError("a mesh of " + std::to_string(settings.cells) + " cells has a cutoff of " +
                         to_text(settings.cutoff) + " cells, more than half of a side: allowed are more cells");
    return mesh;
}

std::unique_ptr<Force> particle_mesh_gravity(double softening, double G, const ParticleMeshSettings& settings) {
    return std::make_unique<ParticleMeshGravity>(softening, checked_gravity(softening, G), settings);
}

}  // namespace trellis
