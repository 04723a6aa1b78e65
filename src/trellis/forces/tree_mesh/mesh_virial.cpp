#include "trellis/forces/tree_mesh/mesh_virial.hpp"

#include <functional>
#include <span>

#include "trellis/forces/tree_mesh/kernels/charge.hpp"
#include "trellis/mesh/long_range_mesh.hpp"
#include "trellis/ranks/comm/collective.hpp"

namespace trellis {

using namespace fields;

std::array<Vec3<double>, 3> mesh_virial(const std::shared_ptr<Comm>& comm, const ParticleSet& particles,
                                        double coupling, const TreeMeshSettings& mesh) {
    using Tensor = std::array<Vec3<double>, 3>;
    const auto count = all_reduce(*comm, static_cast<double>(particles.size()), std::plus<>());
    const MeshOfRegion chosen = mesh_of_region(particles.region(), mesh, count);
    LongRangeMesh<double> solver(comm, particles.region(), {chosen.cutoff},
                                 {.cells = chosen.cells, .order = tree_mesh_assignment});
    Phases phases;
    solver.begin(particles[position], std::span(particles.column(Charge::name).values(), particles.size()), phases);
    Tensor tensor = solver.finish_virial(phases);
    // Each site has the whole.
    const double scale = coupling / static_cast<double>(comm->site_begins().size());
    for (Vec3<double>& row : tensor) row = scale * row;
    return all_reduce(*comm, tensor, [](Tensor a, const Tensor& b) {
        for (std::size_t axis = 0; axis < 3; ++axis) a[axis] += b[axis];
        return a;
    });
}

}  // namespace trellis
