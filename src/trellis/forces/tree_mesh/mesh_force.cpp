#include "trellis/forces/tree_mesh/mesh_force.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "trellis/base/error.hpp"
#include "trellis/base/parallel.hpp"
#include "trellis/forces/gravity/periodic/ewald.hpp"
#include "trellis/forces/tree_mesh/kernels/long_range_part.hpp"
#include "trellis/forces/tree_mesh/response.hpp"
#include "trellis/particles/box.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

namespace {

// The cost of assigning a particle and interpolating the field, in pairs.
constexpr double cost_of_particle = 30;

// Calls visit(mesh) if the mesh has been made.
template <class Meshes, class Visit>
void with_mesh(Meshes& meshes, const Visit& visit) {
    std::visit(
        [&]<class Mesh>(Mesh& mesh) {
            if constexpr (!std::is_same_v<std::remove_const_t<Mesh>, std::monostate>) visit(mesh);
        },
        meshes);
}

// Calls visit(d + n) for each vector n of whole periods with |d + n| < reach.
template <class Visit>
void for_images(const Region& region, const Vec3<double>& d, double reach, const Visit& visit) {
    const Vec3<double> side = region.high - region.low;
    const auto lowest = [&](std::size_t axis) { return std::ceil((-reach - d[axis]) / side[axis]); };
    const auto highest = [&](std::size_t axis) { return std::floor((reach - d[axis]) / side[axis]); };
    for (double x = lowest(0); x <= highest(0); ++x)
        for (double y = lowest(1); y <= highest(1); ++y)
            for (double z = lowest(2); z <= highest(2); ++z) {
                const Vec3<double> image = d + Vec3<double>{x * side.x, y * side.y, z * side.z};
                if (dot(image, image) < reach * reach) visit(image);
            }
}

// The sum over images of L - 1/r, which is 0 beyond the diameter, and its gradient by d. At d = 0 the nearest image is
// the particle itself, which does not act on itself.
PotentialAndGradient<double> less_short_range(const Region& region, const S2Split& split, const Vec3<double>& d) {
    const S2LongRange long_range(split.diameter);
    PotentialAndGradient<double> sum{};
    for_images(region, d, split.diameter, [&](const Vec3<double>& image) {
        const double r2 = dot(image, image);
        if (r2 == 0) return;
        const auto smooth = long_range.radial<2>(r2, 1.0);
        sum[0] += smooth[0] - 1 / std::sqrt(r2);
        for (std::size_t axis = 0; axis < 3; ++axis)
            sum[axis + 1] += smooth[1] * image[axis] + image[axis] / (r2 * std::sqrt(r2));
    });
    return sum;
}

}  // namespace

MeshForce::MeshForce(MeshForceSettings settings) : settings_(std::move(settings)) {
    if (!(settings_.split.diameter > 0 && std::isfinite(settings_.split.diameter)))
        throw InputError("the diameter of a split is " + to_text(settings_.split.diameter) + ": allowed is above 0");
    if (!std::isfinite(settings_.coupling))
        throw InputError("the coupling of a force is " + to_text(settings_.coupling) + ": allowed are finite numbers");
}

void MeshForce::attach(ParticleSet& particles, std::size_t /*number*/) {
    // Wrong settings are found before a long run begins, not at its first step.
    particles.column(settings_.strength);
    check(settings_.mesh, particles.region());
}

void MeshForce::make_mesh(const ParticleSet& particles, const std::shared_ptr<Comm>& comm) {
    const double* strengths = particles.column(settings_.strength).values();
    const double own = parallel_reduce(
        particles.size(), 0.0,
        [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t row = begin; row < end; ++row) sum += std::abs(strengths[row]);
            return sum;
        },
        std::plus<>());
    const double total = all_reduce(*comm, own, std::plus<>());
    const Region& region = particles.region();
    const double side = region.periodic() ? largest(region.high - region.low) : 1;
    if (single_suits(settings_.precision, side, total))
        mesh_.emplace<LongRangeMesh<float>>(comm, region, settings_.split, settings_.mesh);
    else
        mesh_.emplace<LongRangeMesh<double>>(comm, region, settings_.split, settings_.mesh);
    comm_ = comm;
    region_ = region;
}

void MeshForce::dispatch(ParticleSet& particles, const ForceStep& step, Phases& phases) {
    particles.check_finite(Position::name);
    particles.check_finite(settings_.strength);
    const auto comm = step.ranks != nullptr ? step.ranks->comm : comm_ != nullptr ? comm_ : serial_comm();
    if (comm != comm_ || region_ != particles.region()) make_mesh(particles, comm);
    const std::span strengths(particles.column(settings_.strength).values(), particles.size());
    with_mesh(mesh_, [&](auto& mesh) { mesh.begin(std::as_const(particles)[position], strengths, phases); });
    to_be_solved_ = true;
}

void MeshForce::solve(Phases& phases) {
    if (std::exchange(to_be_solved_, false)) with_mesh(mesh_, [&](auto& mesh) { mesh.finish(phases); });
}

Work MeshForce::retrieve(ParticleSet& particles, Phases& phases) {
    const Response response(particles, settings_.strength);
    const auto at = particles[position];
    const auto a = particles[acceleration];
    const auto phi = particles[potential];
    const double own = settings_.split.at_zero();
    solve(phases);
    with_mesh(mesh_, [&](auto& mesh) {
        const PhaseTimer timer(phases, Phase::interpolate_field);
        parallel_for(particles.size(), [&](std::size_t row) {
            const auto field = mesh.at(at[row]);
            const double scale = settings_.coupling * response(row);
            phi[row] += scale * (field[0] - response.strengths()[row] * own);
            a[row] -= scale * Vec3<double>{field[1], field[2], field[3]};
        });
    });
    return {.cost = cost_of_particle * static_cast<double>(particles.size())};
}

std::span<const FieldInfo> MeshForce::results() const {
    static const std::array fields{field_info<Acceleration>(), field_info<Potential>()};
    return fields;
}

void MeshForce::reference(const ParticleSet& sources, const ParticleSet& targets, std::uint32_t row, std::int64_t self,
                          double /*time*/, double* values) const {
    const Region& region = sources.region();
    const std::span strengths = Response(sources, settings_.strength).strengths();
    const Vec3<double> at = targets[position][row];
    // The sum over 1/r, from which the short-range part is taken away.
    const LatticeField whole = lattice_sum({sources[position], strengths, {}}, at, 0, self, region.high - region.low);
    PotentialAndGradient<double> sum{whole.value, -whole.gradient.x, -whole.gradient.y, -whole.gradient.z};
    for (std::size_t j = 0; j < sources.size(); ++j) {
        const auto field = less_short_range(region, settings_.split, at - sources[position][j]);
        for (std::size_t c = 0; c < 4; ++c) sum[c] += strengths[j] * field[c];
    }
    const double scale = settings_.coupling * Response(targets, settings_.strength)(row);
    for (std::size_t axis = 0; axis < 3; ++axis) values[axis] = -scale * sum[axis + 1];
    values[3] = scale * sum[0];
}

}  // namespace trellis
