#include "trellis/forces/tree_mesh/tree_mesh_force.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/device_failure.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/gravity/periodic/ewald.hpp"
#include "trellis/forces/tree_mesh/mesh_force.hpp"
#include "trellis/forces/tree_mesh/response.hpp"
#include "trellis/particles/box.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"
#include "trellis/ranks/comm/collective.hpp"
#include "trellis/tree/softening.hpp"

namespace trellis {

using namespace fields;

namespace {

ForceSettings of_tree(ForceSettings settings) {
    if (settings.order == 1) throw InputError("order is 1: allowed with method treepm is 2 to 5");
    settings.method = Method::fmm;
    return settings;
}

// The magnitudes of the fields that cause `accelerations`. Particles without a strength get the root mean square of the
// fields of the others.
std::vector<double> fields_of(const Response& response, std::span<const double> accelerations) {
    std::vector<double> fields(accelerations.size());
    double squares = 0, count = 0;
    for (std::size_t row = 0; row < fields.size(); ++row) {
        if (response(row) == 0) continue;
        fields[row] = accelerations[row] / std::abs(response(row));
        squares += fields[row] * fields[row];
        ++count;
    }
    for (std::size_t row = 0; row < fields.size(); ++row)
        if (response(row) == 0) fields[row] = count > 0 ? std::sqrt(squares / count) : any_error;
    return fields;
}

// The part of the force that the mesh adds to that of the tree.
class MeshPart final : public PeriodicComplement {
  public:
    MeshPart(const ForceByTreeAndMesh& force, Precision precision)
        : strength_(force.strength),
          coupling_(force.coupling),
          softening_(force.softening),
          of_each_(force.softening_of_each.has_value()),
          precision_(precision) {}

    // Replaces the mesh. particles: their number on all ranks.
    void set(const MeshOfRegion& mesh, double particles) {
        particles_ = particles;
        cutoff_ = mesh.cutoff;
        mesh_ =
            std::make_unique<MeshForce>(MeshForceSettings{.strength = strength_,
                                                          .coupling = coupling_,
                                                          .split = {mesh.cutoff},
                                                          .mesh = {.cells = mesh.cells, .order = tree_mesh_assignment},
                                                          .precision = precision_});
    }

    // mesh_of_region has checked it.
    void check(const Region& /*region*/, double /*accuracy*/) const override {}

    void gather(ParticleSet& particles, const Ranks* ranks, Phases& phases) override {
        weight_ =
            std::make_unique<Sum>(ranks == nullptr ? *alone_ : *ranks->comm, strength_of(particles), std::plus<>());
        region_ = particles.region();
        mesh_->dispatch(particles, {.ranks = ranks}, phases);
    }

    ReferenceForces forces(Phases& /*phases*/) override { return forces_of(region_, weight_->finish(), particles_); }

    double strength_of(const ParticleSet& particles) const override {
        double weight = 0;
        const Response response(particles, strength_);
        for (const double s : response.strengths()) weight += std::abs(s);
        return weight;
    }

    ReferenceForces forces_of(const Region& region, double strength, double count) const override {
        const Vec3<double> side = region.high - region.low;
        const double volume = side.x * side.y * side.z;
        return {count > 0 ? strength / std::cbrt(count) / std::pow(volume, 2.0 / 3) : 0, strength / volume * cutoff_};
    }

    void solve(Phases& phases) override {
        if (weight_->under_way()) weight_->finish();  // forces() was not called
        mesh_->solve(phases);
    }

    void add(ParticleSet& particles, Phases& phases) override {
        solve(phases);
        mesh_->retrieve(particles, phases);
    }

    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double* values) const override {
        const Region& region = sources.region();
        const LatticeField field = lattice_sum(
            {sources[position], Response(sources, strength_).strengths(),
             of_each_ ? sources[softening] : std::span<const double>()},
            targets[position][row], of_each_ ? widening_of(targets[softening][row]) : softening_ * softening_, self,
            region.high - region.low);
        // The gradients are derivatives by the position of the source.
        const double scale = coupling_ * Response(targets, strength_)(row);
        for (std::size_t axis = 0; axis < 3; ++axis) values[axis] = scale * field.gradient[axis];
        values[3] = scale * field.value;
    }

  private:
    using Sum = AsyncReduction<double, std::plus<>>;

    std::string strength_;
    double coupling_, softening_;
    bool of_each_;
    Precision precision_;
    std::unique_ptr<MeshForce> mesh_;
    double particles_ = 0, cutoff_ = 0;
    Region region_;  // at the present step
    std::shared_ptr<Comm> alone_ = serial_comm();
    std::unique_ptr<Sum> weight_;  // sum of |s| over all ranks, at the present step
};

class TreeMeshForce final : public ForceByTree {
  public:
    TreeMeshForce(const ForceByTreeAndMesh& force, const ForceSettings& settings, const TreeMeshSettings& mesh,
                  Devices devices, const std::shared_ptr<MeshPart>& part)
        : ForceByTree(force.kernels, force.within(1), force.coupling, of_tree(settings), std::move(devices), part),
          force_(force),
          mesh_(mesh),
          part_(part) {
        const auto of_tree_force = ForceByTree::results();
        results_.assign(of_tree_force.begin(), of_tree_force.end());
        if (force_.gives_virial()) results_.push_back(field_info<Virial>());
    }

    std::span<const FieldInfo> results() const override { return results_; }

    std::vector<std::string> reads() const override {
        std::vector<std::string> names = ForceByTree::reads();
        if (force_.softening_of_each && force_.softening_of_each->by_type()) names.emplace_back(ParticleType::name);
        return names;
    }

    void attach(ParticleSet& particles, std::size_t number) override {
        if (force_.softening_of_each) force_.softening_of_each->attach(particles);
        ForceByTree::attach(particles, number);
        // Wrong settings are found before a long run begins, not at its first step.
        particles.column(force_.strength);
        if (force_.gives_virial() && !particles.has(Virial::name)) particles.add(virial);
        mesh_of_region(particles.region(), mesh_, static_cast<double>(particles.size()));
    }

    // A level may be the first to act in a run that is resumed, and has the mesh of all particles.
    void resume(ParticleSet& particles, double /*time*/, const Ranks* ranks) override { choose_mesh(particles, ranks); }

    // The density travels while the tree is made.
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        if (particles.region() != region_) choose_mesh(particles, step.ranks);
        if (force_.softening_of_each) force_.softening_of_each->renew(particles, step.time);
        const Response response(particles, force_.strength);
        if (response.gravity()) return ForceByTree::dispatch(particles, step, phases);
        const std::vector<double> fields = fields_of(response, step.previous);
        ForceStep of_fields = step;
        of_fields.previous = fields;
        ForceByTree::dispatch(particles, of_fields, phases);
    }

    // The energy is homogeneous of degree -1 in positions and box, so that a particle's share of it is its virial.
    Work retrieve(ParticleSet& particles, Phases& phases) override {
        if (!force_.gives_virial()) return ForceByTree::retrieve(particles, phases);
        const auto phi = particles[potential];
        others_.assign(phi.begin(), phi.end());
        const Work work = ForceByTree::retrieve(particles, phases);
        const PhaseTimer timer(phases, Phase::interpolate_field);
        const auto m = particles[mass];
        const auto w = particles[virial];
        parallel_for(particles.size(), [&](std::size_t row) { w[row] += m[row] * (phi[row] - others_[row]); });
        return work;
    }

    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double time, double* values) const override {
        ForceByTree::reference(sources, targets, row, self, time, values);
        if (force_.gives_virial()) values[4] = targets[mass][row] * values[3];
    }

    void allowed_steps(const ParticleSet& particles, double time, const ActiveRows& rows, Comm* /*ranks*/,
                       std::span<double> steps) const override {
        if (force_.softening_of_each)
            steps_of_gravity(*force_.softening_of_each, time, particles, rows, steps);
        else
            steps_of_gravity(force_.softening, particles, rows, steps);
    }

  private:
    void choose_mesh(const ParticleSet& particles, const Ranks* ranks) {
        auto count = static_cast<double>(particles.size());
        if (ranks != nullptr) count = all_reduce(*ranks->comm, count, std::plus<>());
        const MeshOfRegion mesh = mesh_of_region(particles.region(), mesh_, count);
        part_->set(mesh, count);
        // All ranks fail together: the mesh is to be solved by all.
        share_failure(
            ranks, device_failure_of([&] { tree_force().set_interaction(force_.within(mesh.cutoff), mesh.cutoff); }));
        region_ = particles.region();
    }

    ForceByTreeAndMesh force_;
    TreeMeshSettings mesh_;
    std::shared_ptr<MeshPart> part_;  // the tree force has it, too
    std::vector<FieldInfo> results_;
    std::vector<double> others_;    // potentials that other forces have given the particles
    std::optional<Region> region_;  // the region that the mesh was made for
};

}  // namespace

std::unique_ptr<ForceByTree> tree_mesh_force(const ForceByTreeAndMesh& force, const ForceSettings& settings,
                                             const TreeMeshSettings& mesh, Devices devices) {
    return std::make_unique<TreeMeshForce>(force, settings, with_cutoff(mesh, settings.accuracy), std::move(devices),
                                           std::make_shared<MeshPart>(force, settings.precision));
}

}  // namespace trellis
