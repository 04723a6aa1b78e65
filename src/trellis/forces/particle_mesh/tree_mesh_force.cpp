#include "trellis/forces/particle_mesh/tree_mesh_force.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trellis/base/error.hpp"
#include "trellis/forces/gravity/gravity_force.hpp"
#include "trellis/forces/gravity/periodic/ewald.hpp"
#include "trellis/forces/particle_mesh/mesh_force.hpp"
#include "trellis/forces/particle_mesh/particle_mesh_gravity.hpp"
#include "trellis/forces/particle_mesh/response.hpp"
#include "trellis/particles/box.hpp"
#include "trellis/ranks/comm/async_reduction.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

// The next number, at least this one, that has no prime factors but 2, 3 and 5: its Fourier transforms are fast.
int next_smooth(int number) {
    for (;; ++number) {
        int rest = number;
        for (const int prime : {2, 3, 5})
            while (rest % prime == 0) rest /= prime;
        if (rest == 1) return number;
    }
}

ForceSettings of_tree(ForceSettings settings) {
    if (settings.order == 1) throw InputError("order is 1: allowed with method treepm is 2 to 5");
    settings.method = Method::fmm;
    return settings;
}

ParticleMeshSettings chosen(const TreeMeshSettings& mesh, const ForceSettings& settings) {
    if (mesh.cells < 0) throw InputError("mesh_cells is " + std::to_string(mesh.cells) + ": allowed is 4 or more");
    if (!(mesh.cutoff >= 0))
        throw InputError("mesh_cutoff is " + to_text(mesh.cutoff) + ": allowed are numbers of cells above 0");
    ParticleMeshSettings chosen{.cells = mesh.cells};
    chosen.cutoff = chosen.split_length = mesh.cutoff > 0 ? mesh.cutoff : tree_mesh_cutoff(settings.accuracy);
    chosen.pairs.precision = settings.precision;
    return chosen;
}

// Particles on a grid, which waves displace, have these waves again beside the period of the grid: a mesh with as many
// cells folds them back onto the first ones, 2e-4 of these where a wave is 7 cells long, whatever the cutoff. Below
// this accuracy the mesh is twice as fine, and its cutoff longer by so much, in cells (bench/notes/mesh.md).
constexpr double fine_below = 2e-4, longer_if_fine = 1.25;
double cells_a_particle(double accuracy) { return accuracy < fine_below ? 2 : 1; }

// The magnitudes of the fields, of a unit response, that accelerate particles by so much. Those without a strength feel
// none: theirs is the root mean square of the others.
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

// What the mesh adds to the forces of the tree.
class MeshPart final : public PeriodicComplement {
  public:
    explicit MeshPart(const ForceByTreeAndMesh& force)
        : strength_(force.strength), coupling_(force.coupling), softening_(force.softening) {}

    // Begins anew, with another mesh for so many particles on all ranks.
    void set(const MeshOfRegion& mesh, const ParticleMeshSettings& settings, double particles) {
        particles_ = particles;
        cutoff_ = mesh.cutoff;
        mesh_ = std::make_unique<MeshForce>(
            MeshForceSettings{.strength = strength_,
                              .coupling = coupling_,
                              .split = mesh.split,
                              .mesh = {.cells = mesh.cells, .order = settings.order, .gradient = settings.gradient},
                              .precision = settings.pairs.precision});
    }

    // mesh_of_region has done it.
    void check(const Region& /*region*/, double /*accuracy*/) const override {}

    void gather(ParticleSet& particles, const Ranks* ranks, Phases& phases) override {
        double weight = 0;
        for (const double s : Response(particles, strength_).strengths()) weight += std::abs(s);
        weight_ = std::make_unique<Sum>(ranks == nullptr ? *alone_ : *ranks->comm, weight, std::plus<>());
        const Vec3<double> side = particles.region().high - particles.region().low;
        volume_ = side.x * side.y * side.z;
        mesh_->dispatch(particles, {.ranks = ranks}, phases);
    }

    ReferenceForces forces(Phases& /*phases*/) override {
        const double weight = weight_->finish();
        return {particles_ > 0 ? weight / std::cbrt(particles_) / std::pow(volume_, 2.0 / 3) : 0,
                weight / volume_ * cutoff_};
    }

    void add(ParticleSet& particles, Phases& phases) override {
        if (weight_->under_way()) weight_->finish();  // nobody has asked
        mesh_->retrieve(particles, phases);
    }

    void reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                   double* values) const override {
        const Region& region = sources.region();
        const LatticeField field =
            lattice_sum({sources[position], Response(sources, strength_).strengths(), {}}, targets[position][row],
                        softening_ * softening_, self, region.high - region.low);
        // Gradients are by the place of the source.
        const double scale = coupling_ * Response(targets, strength_)(row);
        for (std::size_t axis = 0; axis < 3; ++axis) values[axis] = scale * field.gradient[axis];
        values[3] = scale * field.value;
    }

  private:
    using Sum = AsyncReduction<double, std::plus<>>;

    std::string strength_;
    double coupling_, softening_;
    std::unique_ptr<MeshForce> mesh_;
    double particles_ = 0, cutoff_ = 0, volume_ = 0;
    std::shared_ptr<Comm> alone_ = serial_comm();
    std::unique_ptr<Sum> weight_;  // of all strengths, of the present step
};

class TreeMeshForce final : public TreeForce {
  public:
    // part: what owned points to.
    TreeMeshForce(const ForceByTreeAndMesh& force, const ForceSettings& settings, ParticleMeshSettings mesh,
                  MeshPart& part, std::unique_ptr<PeriodicComplement> owned)
        : TreeForce(force.kernels, force.within(1), force.coupling, of_tree(settings), {}, std::move(owned)),
          force_(force),
          mesh_(std::move(mesh)),
          cells_a_particle_(cells_a_particle(settings.accuracy)),
          part_(part) {}

    void attach(ParticleSet& particles, std::size_t number) override {
        TreeForce::attach(particles, number);
        // What would keep the mesh from being made is found before a long run begins, not at its first step.
        particles.column(force_.strength);
        find_mesh(particles, static_cast<double>(particles.size()));
    }

    // The density travels while the tree is made.
    void dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) override {
        if (particles.region() != region_) {
            auto count = static_cast<double>(particles.size());
            if (step.ranks != nullptr) count = all_reduce(*step.ranks->comm, count, std::plus<>());
            const auto [mesh, settings] = find_mesh(particles, count);
            part_.set(mesh, settings, count);
            set_interaction(force_.within(mesh.cutoff), mesh.cutoff);
            region_ = particles.region();
        }
        const Response response(particles, force_.strength);
        if (response.gravity()) return TreeForce::dispatch(particles, step, phases);
        const std::vector<double> fields = fields_of(response, step.previous);
        ForceStep of_fields = step;
        of_fields.previous = fields;
        TreeForce::dispatch(particles, of_fields, phases);
    }

    double longest_step(const ParticleSet& particles) const override {
        return longest_step_of_gravity(force_.softening, particles);
    }

  private:
    struct FoundMesh {
        MeshOfRegion mesh;
        ParticleMeshSettings settings;
    };
    // As many cells as particles, or more for the accuracy, but enough for the cutoff along the shortest side.
    FoundMesh find_mesh(const ParticleSet& particles, double count) const {
        ParticleMeshSettings settings = mesh_;
        const Region& region = particles.region();
        if (settings.cells == 0 && region.periodic(0) && region.periodic(1) && region.periodic(2)) {
            const Vec3<double> side = region.high - region.low;
            const double longest = largest(side), share = side.x / longest * (side.y / longest) * (side.z / longest);
            const double enough = 2 * settings.cutoff * longest / std::min({side.x, side.y, side.z});
            const double of_particles = cells_a_particle_ * std::cbrt(count / share);
            settings.cells = next_smooth(static_cast<int>(std::ceil(std::max(of_particles, enough) * (1 - 1e-12))));
        }
        return {mesh_of_region(particles.region(), settings), settings};
    }

    ForceByTreeAndMesh force_;
    ParticleMeshSettings mesh_;
    double cells_a_particle_;  // along an axis
    MeshPart& part_;
    std::optional<Region> region_;  // that the mesh is for
};

}  // namespace

double tree_mesh_cutoff(double accuracy) {
    if (!(accuracy >= finest_tree_mesh_accuracy && accuracy < 1))
        throw InputError("accuracy is " + to_text(accuracy) + ": allowed with method treepm is " +
                         to_text(finest_tree_mesh_accuracy) + " to below 1");
    if (accuracy < fine_below) return longer_if_fine * particle_mesh_settings(accuracy / std::numbers::sqrt2, 0).cutoff;
    return particle_mesh_settings(accuracy / 2, 0).cutoff;
}

std::unique_ptr<TreeForce> tree_mesh_force(const ForceByTreeAndMesh& force, const ForceSettings& settings,
                                           const TreeMeshSettings& mesh) {
    auto owned = std::make_unique<MeshPart>(force);
    MeshPart& part = *owned;
    return std::make_unique<TreeMeshForce>(force, settings, chosen(mesh, settings), part, std::move(owned));
}

}  // namespace trellis
